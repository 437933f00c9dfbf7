/* SPDX-License-Identifier: MIT */
/* The kernels of kernels.cu as OpenCL C, for comparison: the same work by the same threads, names and parameters. */
#define TILE 16

kernel void vecadd(global const float *a, global const float *b, global float *c, uint n)
{
	uint i = get_global_id(0);

	if (i < n)
		c[i] = a[i] + b[i];
}

kernel void sgemm_naive(global const float *a, global const float *b, global float *c, uint n)
{
	uint col = get_global_id(0), row = get_global_id(1);
	float sum = 0;

	if (row >= n || col >= n)
		return;
	for (uint k = 0; k < n; k++)
		sum += a[row * n + k] * b[k * n + col];
	c[row * n + col] = sum;
}

kernel void sgemm_tiled(global const float *a, global const float *b, global float *c, uint n)
{
	local float ta[TILE][TILE], tb[TILE][TILE];
	uint tx = get_local_id(0), ty = get_local_id(1);
	uint row = get_group_id(1) * TILE + ty, col = get_group_id(0) * TILE + tx;
	float sum = 0;

	for (uint t = 0; t < n; t += TILE) {
		ta[ty][tx] = a[row * n + t + tx];
		tb[ty][tx] = b[(t + ty) * n + col];
		barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
		for (uint k = 0; k < TILE; k++)
			sum += ta[ty][k] * tb[k][tx];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * n + col] = sum;
}

kernel void mandelbrot(global uint *out, uint n, uint limit)
{
	uint px = get_global_id(0), py = get_global_id(1), i;
	float step = 3.0f / (float)n, cx = (float)px * step - 2.0f, cy = (float)py * step - 1.5f, x = 0, y = 0;

	if (px >= n || py >= n)
		return;
	for (i = 0; i < limit; i++) {
		float xx = x * x, yy = y * y;

		if (xx + yy > 4.0f)
			break;
		y = 2 * x * y + cy;
		x = xx - yy + cx;
	}
	out[py * n + px] = i;
}

kernel void histogram(global const uchar *data, uint n, global uint *bins)
{
	local uint own[256];

	for (uint i = get_local_id(0); i < 256; i += get_local_size(0))
		own[i] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = get_global_id(0); i < n; i += get_num_groups(0) * get_local_size(0))
		atomic_add(&own[data[i]], 1);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = get_local_id(0); i < 256; i += get_local_size(0))
		if (own[i])
			atomic_add(&bins[i], own[i]);
}

kernel void reduction(global const uint *data, uint n, global uint *sum)
{
	local uint part[256];
	uint t = get_local_id(0), v = 0;

	for (uint i = get_group_id(0) * get_local_size(0) + t; i < n; i += get_num_groups(0) * get_local_size(0))
		v += data[i];
	part[t] = v;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = get_local_size(0) / 2; s; s /= 2) {
		if (t < s)
			part[t] += part[t + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (!t)
		atomic_add(sum, part[0]);
}

/* pos: x, y, z, mass of each body. */
kernel void nbody(global const float *pos, global float *acc, uint n)
{
	uint i = get_global_id(0);
	float x = pos[4 * i], y = pos[4 * i + 1], z = pos[4 * i + 2], ax = 0, ay = 0, az = 0;

	for (uint j = 0; j < n; j++) {
		float dx = pos[4 * j] - x, dy = pos[4 * j + 1] - y, dz = pos[4 * j + 2] - z;
		float d = dx * dx + dy * dy + dz * dz + 0.01f, r = 1.0f / sqrt(d);
		float f = pos[4 * j + 3] * r * r * r;

		ax += dx * f;
		ay += dy * f;
		az += dz * f;
	}
	acc[3 * i] = ax;
	acc[3 * i + 1] = ay;
	acc[3 * i + 2] = az;
}

/* Rows in CSR form; each thread computes one row. */
kernel void spmv(global const uint *start, global const uint *col, global const float *val, global const float *x,
		 global float *y, uint rows)
{
	uint r = get_global_id(0);
	float sum = 0;

	if (r >= rows)
		return;
	for (uint k = start[r]; k < start[r + 1]; k++)
		sum += val[k] * x[col[k]];
	y[r] = sum;
}

/* Each thread hashes one 64-byte block of 16 words; message word w of thread i is in[w * n + i]. */
constant uint sha_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

uint ror(uint x, uint n)
{
	return x >> n | x << (32 - n);
}

kernel void sha256(global const uint *in, global uint *out, uint n)
{
	uint t = get_global_id(0), w[16];
	uint a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a, e = 0x510e527f, f = 0x9b05688c,
	    g = 0x1f83d9ab, h = 0x5be0cd19;

	if (t >= n)
		return;
#pragma unroll
	for (uint i = 0; i < 16; i++)
		w[i] = in[i * n + t];
#pragma unroll
	for (uint i = 0; i < 64; i++) {
		uint x, y;

		if (i >= 16) {
			uint p = w[(i + 1) & 15], q = w[(i + 14) & 15];

			w[i & 15] += (ror(p, 7) ^ ror(p, 18) ^ p >> 3) + w[(i + 9) & 15] +
				     (ror(q, 17) ^ ror(q, 19) ^ q >> 10);
		}
		x = h + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) + ((e & f) ^ (~e & g)) + sha_k[i] + w[i & 15];
		y = (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
		h = g;
		g = f;
		f = e;
		e = d + x;
		d = c;
		c = b;
		b = a;
		a = x + y;
	}
	out[t] = a + 0x6a09e667 + (h ^ e);
}

/* Each step of breadth-first search: neighbours of the nodes on `level` that have no level yet get the next one. */
kernel void bfs(global const uint *start, global const uint *next, global uint *levels, uint nodes, uint level)
{
	uint i = get_global_id(0);

	if (i >= nodes || levels[i] != level)
		return;
	for (uint k = start[i]; k < start[i + 1]; k++)
		if (levels[next[k]] == ~0u)
			levels[next[k]] = level + 1;
}

/* The normal distribution up to d, by the polynomial of Abramowitz and Stegun. */
float normal(float d)
{
	float x = d < 0 ? -d : d, k = 1.0f / (1.0f + 0.2316419f * x);
	float p = 0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)));
	float v = 0.39894228f * exp2(-0.72134752f * x * x) * k * p;

	return d > 0 ? 1 - v : v;
}

/* The price of a call and of a put; the price is 5 + 25 s, the strike 1 + 99 t, the time 0.25 + 9.75 u. */
kernel void black_scholes(global const float *s, global const float *t, global const float *u, global float *prices,
			  uint n)
{
	uint i = get_global_id(0);
	float price, strike, years, root, d1, d2, value, call;

	if (i >= n)
		return;
	price = 5 + 25 * s[i];
	strike = 1 + 99 * t[i];
	years = 0.25f + 9.75f * u[i];
	root = sqrt(years);
	d1 = (0.69314718f * log2(price / strike) + (0.02f + 0.045f) * years) / (0.3f * root);
	d2 = d1 - 0.3f * root;
	value = strike * exp2(-0.02885390f * years);
	call = price * normal(d1) - value * normal(d2);
	prices[2 * i] = call;
	prices[2 * i + 1] = call + value - price;
}

/* A block transforms 256 complex numbers by 128 threads (Stockham, radix 2).  roots: cos and sin of -2 pi i / 256. */
kernel void fft(global const float *in, global const float *roots, global float *out, uint n)
{
	local float re[2][256], im[2][256];
	uint t = get_local_id(0), at = get_group_id(0) * 256, from = 0;

	for (uint i = t; i < 256; i += 128) {
		re[0][i] = in[2 * (at + i)];
		im[0][i] = in[2 * (at + i) + 1];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint len = 1; len < 256; len *= 2) {
		uint k = t & (len - 1), to = 2 * (t - k) + k, r = k * (128 / len);
		float c = roots[2 * r], s = roots[2 * r + 1], x = re[from][t + 128], y = im[from][t + 128];
		float px = x * c - y * s, py = x * s + y * c;

		re[!from][to] = re[from][t] + px;
		im[!from][to] = im[from][t] + py;
		re[!from][to + len] = re[from][t] - px;
		im[!from][to + len] = im[from][t] - py;
		from = !from;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (uint i = t; i < 256; i += 128) {
		out[2 * (at + i)] = re[from][i];
		out[2 * (at + i) + 1] = im[from][i];
	}
}

kernel void transpose(global const float *in, global float *out, uint n)
{
	local float tile[TILE][TILE + 1];
	uint x = get_group_id(0) * TILE, y = get_group_id(1) * TILE, tx = get_local_id(0), ty = get_local_id(1);

	tile[ty][tx] = in[(y + ty) * n + x + tx];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[(x + ty) * n + y + tx] = tile[tx][ty];
}

kernel void stencil(global const float *in, global float *out, uint n)
{
	uint x = get_global_id(0), y = get_global_id(1), i = y * n + x;

	if (!x || !y || x >= n - 1 || y >= n - 1)
		return;
	out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}

/* sgemm_naive in f64. */
kernel void dgemm(global const double *a, global const double *b, global double *c, uint n)
{
	uint col = get_global_id(0), row = get_global_id(1);
	double sum = 0;

	for (uint k = 0; k < n; k++)
		sum += a[row * n + k] * b[k * n + col];
	c[row * n + col] = sum;
}
