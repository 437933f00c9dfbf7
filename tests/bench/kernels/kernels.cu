/* SPDX-License-Identifier: MIT */
/* The kernels of bench_kernels.  lib/native.c has each of them in C, with the same arithmetic. */
#include "../../../libruntime/samples/kernels/kernel.h"

#define TILE 16

KERNEL vecadd(const float *a, const float *b, float *c, u32 n)
{
	u32 i = blockIdx_x * blockDim_x + threadIdx_x;

	if (i < n)
		c[i] = a[i] + b[i];
}

KERNEL sgemm_naive(const float *a, const float *b, float *c, u32 n)
{
	u32 col = blockIdx_x * blockDim_x + threadIdx_x, row = blockIdx_y * blockDim_y + threadIdx_y;
	float sum = 0;

	if (row >= n || col >= n)
		return;
	for (u32 k = 0; k < n; k++)
		sum += a[row * n + k] * b[k * n + col];
	c[row * n + col] = sum;
}

KERNEL sgemm_tiled(const float *a, const float *b, float *c, u32 n)
{
	__shared__ float ta[TILE][TILE], tb[TILE][TILE];
	u32 tx = threadIdx_x, ty = threadIdx_y;
	u32 row = blockIdx_y * TILE + ty, col = blockIdx_x * TILE + tx;
	float sum = 0;

	for (u32 t = 0; t < n; t += TILE) {
		ta[ty][tx] = a[row * n + t + tx];
		tb[ty][tx] = b[(t + ty) * n + col];
		syncthreads();
#pragma unroll
		for (u32 k = 0; k < TILE; k++)
			sum += ta[ty][k] * tb[k][tx];
		syncthreads();
	}
	c[row * n + col] = sum;
}

KERNEL mandelbrot(u32 *out, u32 n, u32 limit)
{
	u32 px = blockIdx_x * blockDim_x + threadIdx_x, py = blockIdx_y * blockDim_y + threadIdx_y, i;
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

KERNEL histogram(const u8 *data, u32 n, u32 *bins)
{
	__shared__ u32 local[256];

	for (u32 i = threadIdx_x; i < 256; i += blockDim_x)
		local[i] = 0;
	syncthreads();
	for (u32 i = blockIdx_x * blockDim_x + threadIdx_x; i < n; i += gridDim_x * blockDim_x)
		atomic_add(&local[data[i]], 1);
	syncthreads();
	for (u32 i = threadIdx_x; i < 256; i += blockDim_x)
		if (local[i])
			atomic_add(&bins[i], local[i]);
}

KERNEL reduction(const u32 *data, u32 n, u32 *sum)
{
	__shared__ u32 part[256];
	u32 t = threadIdx_x, v = 0;

	for (u32 i = blockIdx_x * blockDim_x + t; i < n; i += gridDim_x * blockDim_x)
		v += data[i];
	part[t] = v;
	syncthreads();
	for (u32 s = blockDim_x / 2; s; s /= 2) {
		if (t < s)
			part[t] += part[t + s];
		syncthreads();
	}
	if (!t)
		atomic_add(sum, part[0]);
}

/* pos: x, y, z, mass of each body. */
KERNEL nbody(const float *pos, float *acc, u32 n)
{
	u32 i = blockIdx_x * blockDim_x + threadIdx_x;
	float x = pos[4 * i], y = pos[4 * i + 1], z = pos[4 * i + 2], ax = 0, ay = 0, az = 0;

	for (u32 j = 0; j < n; j++) {
		float dx = pos[4 * j] - x, dy = pos[4 * j + 1] - y, dz = pos[4 * j + 2] - z;
		float d = dx * dx + dy * dy + dz * dz + 0.01f, r = 1.0f / __nvvm_sqrt_rn_f(d);
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
KERNEL spmv(const u32 *start, const u32 *col, const float *val, const float *x, float *y, u32 rows)
{
	u32 r = blockIdx_x * blockDim_x + threadIdx_x;
	float sum = 0;

	if (r >= rows)
		return;
	for (u32 k = start[r]; k < start[r + 1]; k++)
		sum += val[k] * x[col[k]];
	y[r] = sum;
}

/* Each thread hashes one 64-byte block of 16 words; message word w of thread i is in[w * n + i]. */
__constant__ u32 sha_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

INLINE u32 ror(u32 x, u32 n)
{
	return x >> n | x << (32 - n);
}

KERNEL sha256(const u32 *in, u32 *out, u32 n)
{
	u32 t = blockIdx_x * blockDim_x + threadIdx_x, w[16];
	u32 a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a, e = 0x510e527f, f = 0x9b05688c,
	    g = 0x1f83d9ab, h = 0x5be0cd19;

	if (t >= n)
		return;
#pragma unroll
	for (u32 i = 0; i < 16; i++)
		w[i] = in[i * n + t];
#pragma unroll
	for (u32 i = 0; i < 64; i++) {
		u32 x, y;

		if (i >= 16) {
			u32 p = w[(i + 1) & 15], q = w[(i + 14) & 15];

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
KERNEL bfs(const u32 *start, const u32 *next, u32 *levels, u32 nodes, u32 level)
{
	u32 i = blockIdx_x * blockDim_x + threadIdx_x;

	if (i >= nodes || levels[i] != level)
		return;
	for (u32 k = start[i]; k < start[i + 1]; k++)
		if (levels[next[k]] == ~0u)
			levels[next[k]] = level + 1;
}

/* The normal distribution up to d, by the polynomial of Abramowitz and Stegun. */
INLINE float normal(float d)
{
	float x = d < 0 ? -d : d, k = 1.0f / (1.0f + 0.2316419f * x);
	float p = 0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)));
	float v = 0.39894228f * __nvvm_ex2_approx_f(-0.72134752f * x * x) * k * p;

	return d > 0 ? 1 - v : v;
}

/* The price of a call and of a put; the price is 5 + 25 s, the strike 1 + 99 t, the time 0.25 + 9.75 u. */
KERNEL black_scholes(const float *s, const float *t, const float *u, float *prices, u32 n)
{
	u32 i = blockIdx_x * blockDim_x + threadIdx_x;
	float price, strike, years, root, d1, d2, value, call;

	if (i >= n)
		return;
	price = 5 + 25 * s[i];
	strike = 1 + 99 * t[i];
	years = 0.25f + 9.75f * u[i];
	root = __nvvm_sqrt_rn_f(years);
	d1 = (0.69314718f * __nvvm_lg2_approx_f(price / strike) + (0.02f + 0.045f) * years) / (0.3f * root);
	d2 = d1 - 0.3f * root;
	value = strike * __nvvm_ex2_approx_f(-0.02885390f * years);
	call = price * normal(d1) - value * normal(d2);
	prices[2 * i] = call;
	prices[2 * i + 1] = call + value - price;
}

/* A block transforms 256 complex numbers by 128 threads (Stockham, radix 2).  roots: cos and sin of -2 pi i / 256. */
KERNEL fft(const float *in, const float *roots, float *out, u32 n)
{
	__shared__ float re[2][256], im[2][256];
	u32 t = threadIdx_x, at = blockIdx_x * 256, from = 0;

	for (u32 i = t; i < 256; i += 128) {
		re[0][i] = in[2 * (at + i)];
		im[0][i] = in[2 * (at + i) + 1];
	}
	syncthreads();
	for (u32 len = 1; len < 256; len *= 2) {
		u32 k = t & (len - 1), to = 2 * (t - k) + k, r = k * (128 / len);
		float c = roots[2 * r], s = roots[2 * r + 1], x = re[from][t + 128], y = im[from][t + 128];
		float px = x * c - y * s, py = x * s + y * c;

		re[!from][to] = re[from][t] + px;
		im[!from][to] = im[from][t] + py;
		re[!from][to + len] = re[from][t] - px;
		im[!from][to + len] = im[from][t] - py;
		from = !from;
		syncthreads();
	}
	for (u32 i = t; i < 256; i += 128) {
		out[2 * (at + i)] = re[from][i];
		out[2 * (at + i) + 1] = im[from][i];
	}
}

KERNEL transpose(const float *in, float *out, u32 n)
{
	__shared__ float tile[TILE][TILE + 1];
	u32 x = blockIdx_x * TILE, y = blockIdx_y * TILE, tx = threadIdx_x, ty = threadIdx_y;

	tile[ty][tx] = in[(y + ty) * n + x + tx];
	syncthreads();
	out[(x + ty) * n + y + tx] = tile[tx][ty];
}

KERNEL stencil(const float *in, float *out, u32 n)
{
	u32 x = blockIdx_x * blockDim_x + threadIdx_x, y = blockIdx_y * blockDim_y + threadIdx_y, i = y * n + x;

	if (!x || !y || x >= n - 1 || y >= n - 1)
		return;
	out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}

/* sgemm_naive in f64. */
KERNEL dgemm(const double *a, const double *b, double *c, u32 n)
{
	u32 col = blockIdx_x * blockDim_x + threadIdx_x, row = blockIdx_y * blockDim_y + threadIdx_y;
	double sum = 0;

	for (u32 k = 0; k < n; k++)
		sum += a[row * n + k] * b[k * n + col];
	c[row * n + col] = sum;
}
