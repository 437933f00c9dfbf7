/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>
#include <time.h>
#include "native.h"

void native_vecadd(const float *restrict a, const float *restrict b, float *restrict c, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		c[i] = a[i] + b[i];
}

/* The literal loops, as the kernels have them. */
void native_sgemm(const float *restrict a, const float *restrict b, float *restrict c, uint32_t n)
{
	for (uint32_t row = 0; row < n; row++)
		for (uint32_t col = 0; col < n; col++) {
			float sum = 0;

			for (uint32_t k = 0; k < n; k++)
				sum = fmaf(a[row * n + k], b[k * n + col], sum);
			c[row * n + col] = sum;
		}
}

void native_mandelbrot(uint32_t *out, uint32_t n, uint32_t limit)
{
	float step = 3.0f / (float)n;

	for (uint32_t py = 0; py < n; py++)
		for (uint32_t px = 0; px < n; px++) {
			float cx = fmaf((float)px, step, -2.0f), cy = fmaf((float)py, step, -1.5f), x = 0, y = 0;
			uint32_t i;

			for (i = 0; i < limit; i++) {
				float xx = x * x, yy = y * y;

				if (xx + yy > 4.0f)
					break;
				y = fmaf(2 * x, y, cy);
				x = xx - yy + cx;
			}
			out[py * n + px] = i;
		}
}

void native_histogram(const uint8_t *data, uint32_t n, uint32_t *bins)
{
	for (uint32_t i = 0; i < n; i++)
		bins[data[i]]++;
}

void native_reduction(const uint32_t *data, uint32_t n, uint32_t *sum)
{
	uint32_t v = 0;

	for (uint32_t i = 0; i < n; i++)
		v += data[i];
	*sum += v;
}

void native_nbody(const float *restrict pos, float *restrict acc, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		float x = pos[4 * i], y = pos[4 * i + 1], z = pos[4 * i + 2], ax = 0, ay = 0, az = 0;

		for (uint32_t j = 0; j < n; j++) {
			float dx = pos[4 * j] - x, dy = pos[4 * j + 1] - y, dz = pos[4 * j + 2] - z;
			float d = dx * dx + dy * dy + dz * dz + 0.01f, r = 1.0f / sqrtf(d);
			float f = pos[4 * j + 3] * r * r * r;

			ax += dx * f;
			ay += dy * f;
			az += dz * f;
		}
		acc[3 * i] = ax;
		acc[3 * i + 1] = ay;
		acc[3 * i + 2] = az;
	}
}

void native_spmv(const uint32_t *start, const uint32_t *col, const float *val, const float *x, float *y,
		 uint32_t rows)
{
	for (uint32_t r = 0; r < rows; r++) {
		float sum = 0;

		for (uint32_t k = start[r]; k < start[r + 1]; k++)
			sum = fmaf(val[k], x[col[k]], sum);
		y[r] = sum;
	}
}

static uint32_t ror(uint32_t x, uint32_t n)
{
	return x >> n | x << (32 - n);
}

void native_sha256(const uint32_t *restrict in, uint32_t *restrict out, uint32_t n)
{
	static const uint32_t k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
	};

	for (uint32_t t = 0; t < n; t++) {
		uint32_t a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a, e = 0x510e527f,
			 f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19, w[16];

		for (uint32_t i = 0; i < 16; i++)
			w[i] = in[i * n + t];
		for (uint32_t i = 0; i < 64; i++) {
			uint32_t x, y;

			if (i >= 16) {
				uint32_t p = w[(i + 1) & 15], q = w[(i + 14) & 15];

				w[i & 15] += (ror(p, 7) ^ ror(p, 18) ^ p >> 3) + w[(i + 9) & 15] +
					     (ror(q, 17) ^ ror(q, 19) ^ q >> 10);
			}
			x = h + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + w[i & 15];
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
}

void native_bfs(const uint32_t *start, const uint32_t *next, uint32_t *levels, uint32_t nodes, uint32_t level)
{
	for (uint32_t i = 0; i < nodes; i++)
		for (uint32_t k = start[i]; levels[i] == level && k < start[i + 1]; k++)
			if (levels[next[k]] == ~0u)
				levels[next[k]] = level + 1;
}

static float normal(float d)
{
	float x = fabsf(d), k = 1.0f / (1.0f + 0.2316419f * x);
	float p = 0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)));
	float v = 0.39894228f * exp2f(-0.72134752f * x * x) * k * p;

	return d > 0 ? 1 - v : v;
}

void native_black_scholes(const float *s, const float *t, const float *u, float *prices, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		float price = 5 + 25 * s[i], strike = 1 + 99 * t[i], years = 0.25f + 9.75f * u[i], root = sqrtf(years);
		float d1 = (0.69314718f * log2f(price / strike) + (0.02f + 0.045f) * years) / (0.3f * root);
		float d2 = d1 - 0.3f * root, value = strike * exp2f(-0.02885390f * years);
		float call = price * normal(d1) - value * normal(d2);

		prices[2 * i] = call;
		prices[2 * i + 1] = call + value - price;
	}
}

void native_fft(const float *in, const float *roots, float *out, uint32_t n)
{
	float re[2][256], im[2][256];

	for (uint32_t at = 0; at < n; at += 256) {
		unsigned from = 0;

		for (uint32_t i = 0; i < 256; i++) {
			re[0][i] = in[2 * (at + i)];
			im[0][i] = in[2 * (at + i) + 1];
		}
		for (uint32_t len = 1; len < 256; len *= 2, from = !from)
			for (uint32_t t = 0; t < 128; t++) {
				uint32_t k = t & (len - 1), to = 2 * (t - k) + k, r = k * (128 / len);
				float c = roots[2 * r], s = roots[2 * r + 1], x = re[from][t + 128], y = im[from][t + 128];
				float px = x * c - y * s, py = x * s + y * c;

				re[!from][to] = re[from][t] + px;
				im[!from][to] = im[from][t] + py;
				re[!from][to + len] = re[from][t] - px;
				im[!from][to + len] = im[from][t] - py;
			}
		for (uint32_t i = 0; i < 256; i++) {
			out[2 * (at + i)] = re[from][i];
			out[2 * (at + i) + 1] = im[from][i];
		}
	}
}

void native_transpose(const float *in, float *out, uint32_t n)
{
	for (uint32_t y = 0; y < n; y += 16)
		for (uint32_t x = 0; x < n; x += 16)
			for (uint32_t i = y; i < y + 16; i++)
				for (uint32_t j = x; j < x + 16; j++)
					out[(size_t)j * n + i] = in[(size_t)i * n + j];
}

void native_stencil(const float *in, float *out, uint32_t n)
{
	for (uint32_t y = 1; y < n - 1; y++)
		for (uint32_t x = 1; x < n - 1; x++) {
			size_t i = (size_t)y * n + x;

			out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
		}
}

void native_dgemm(const double *a, const double *b, double *c, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = 0; j < n; j++)
			c[(size_t)i * n + j] = 0;
		for (uint32_t k = 0; k < n; k++)
			for (uint32_t j = 0; j < n; j++)
				c[(size_t)i * n + j] += a[(size_t)i * n + k] * b[(size_t)k * n + j];
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double native_fma_rate(void)
{
	typedef float vec __attribute__((vector_size(32)));
	enum { CHAINS = 10, ROUNDS = 200000 };
	vec acc[CHAINS] = { 0 }, x, y;
	double best = 1e9;

	for (unsigned j = 0; j < 8; j++) {
		x[j] = 0.9f;
		y[j] = 0.1f;
	}
	for (unsigned k = 0; k < 10; k++) {
		double t = now();

		for (unsigned r = 0; r < ROUNDS; r++) {
#ifdef __FMA__
#define STEP(i) __asm__ volatile("vfmadd213ps %2, %1, %0" : "+x"(acc[i]) : "x"(x), "x"(y))
#else
#define STEP(i) acc[i] = acc[i] * x + y
#endif
			STEP(0); STEP(1); STEP(2); STEP(3); STEP(4);
			STEP(5); STEP(6); STEP(7); STEP(8); STEP(9);
#undef STEP
		}
		t = now() - t;
		best = t < best ? t : best;
	}
	/* keep the chains alive */
	__asm__ volatile("" : : "r"(acc) : "memory");
	return 8.0 * CHAINS * ROUNDS / best;
}
