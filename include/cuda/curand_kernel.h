/* SPDX-License-Identifier: MIT */
/*
 * Random numbers in kernels: the generators XORWOW (G. Marsaglia, "Xorshift RNGs", 2003) and Philox4x32-10 (J. Salmon
 * and others, "Parallel random numbers: as easy as 1, 2, 3", 2011), and numbers of some distributions made of theirs.
 *
 * Philox gives the published sequence: the seed is the key, the subsequence the upper half of the counter, and the
 * offset the rest.  How the vendor makes XORWOW's first state of a seed is not published, so XORWOW's numbers are
 * others here; subsequences are 2^67 numbers apart, as documented.  Numbers that are not uniform are made as the
 * comments say, and may differ from the vendor's as well.
 *
 * Everything works on the host, too.
 */
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#include <math.h>
#include "vector_types.h"

#define PPU_RAND_	static __inline__ __attribute__((host, device, unused))

enum { PPU_XORWOW_APART_ = 67 };	/* log2 of the distance of subsequences */

struct ppu_normal_kept_ {		/* normal numbers come in pairs */
	float f;
	double d;
	bool has_f, has_d;
};

struct curandStateXORWOW {
	unsigned int x[5], d;
	struct ppu_normal_kept_ kept;
};
typedef struct curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;

struct curandStatePhilox4_32_10 {
	uint4 counter, numbers;		/* the numbers of this counter */
	uint2 key;
	unsigned int used;		/* of the numbers, 0 to 3 */
	struct ppu_normal_kept_ kept;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

/* ---- XORWOW --------------------------------------------------------------------------------- */

PPU_RAND_ void ppu_xorshift_(unsigned int *x)
{
	unsigned int t = x[0] ^ x[0] >> 2;

	x[0] = x[1];
	x[1] = x[2];
	x[2] = x[3];
	x[3] = x[4];
	x[4] = (x[4] ^ x[4] << 4) ^ (t ^ t << 1);
}

PPU_RAND_ unsigned int curand(curandStateXORWOW_t *s)
{
	ppu_xorshift_(s->x);
	s->d += 362437;
	return s->x[4] + s->d;
}

/* Skips n * 2^first numbers of the xorshift: applies one polynomial of steps for each bit of n. */
PPU_RAND_ void ppu_xorshift_skip_(unsigned int *x, unsigned long long n, int first)
{
	static const unsigned int powers[131][5] = {
#include "crt/ppu_xorwow.h"
	};

	for (int k = first; n; k++, n >>= 1) {
		unsigned int sum[5] = { 0, 0, 0, 0, 0 };

		if (!(n & 1))
			continue;
		for (int i = 0; i < 160; i++) {
			unsigned int take = 0u - (powers[k][i / 32] >> i % 32 & 1);

			for (int w = 0; w < 5; w++)
				sum[w] ^= x[w] & take;
			ppu_xorshift_(x);
		}
		for (int w = 0; w < 5; w++)
			x[w] = sum[w];
	}
}

PPU_RAND_ void skipahead(unsigned long long n, curandStateXORWOW_t *s)
{
	ppu_xorshift_skip_(s->x, n, 0);
	s->d += 362437 * (unsigned int)n;
}

PPU_RAND_ void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *s)
{
	ppu_xorshift_skip_(s->x, n, PPU_XORWOW_APART_);		/* 2^67 steps change d by nothing */
}

/* The first state: Marsaglia's, with the words of SplitMix64 (G. Steele and others, 2014) that follow the seed. */
PPU_RAND_ void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
			   curandStateXORWOW_t *s)
{
	const unsigned int first[6] = { 123456789, 362436069, 521288629, 88675123, 5783321, 6615241 };
	unsigned int word[6];

	for (int i = 0; i < 6; i += 2) {
		unsigned long long z = seed += 0x9e3779b97f4a7c15ull;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
		z = (z ^ z >> 27) * 0x94d049bb133111ebull;
		z ^= z >> 31;
		word[i] = first[i] ^ (unsigned int)z;
		word[i + 1] = first[i + 1] ^ (unsigned int)(z >> 32);
	}
	for (int i = 0; i < 5; i++)
		s->x[i] = word[i];
	s->d = word[5];
	if (!(s->x[0] | s->x[1] | s->x[2] | s->x[3] | s->x[4]))
		s->x[0] = first[0];
	s->kept.has_f = s->kept.has_d = false;
	skipahead_sequence(sequence, s);
	skipahead(offset, s);
}

/* ---- Philox --------------------------------------------------------------------------------- */

PPU_RAND_ uint4 curand_Philox4x32_10(uint4 c, uint2 key)
{
	for (int round = 0; round < 10; round++) {
		unsigned long long a = 0xd2511f53ull * c.x, b = 0xcd9e8d57ull * c.z;

		c.x = (unsigned int)(b >> 32) ^ c.y ^ key.x;
		c.y = (unsigned int)b;
		c.z = (unsigned int)(a >> 32) ^ c.w ^ key.y;
		c.w = (unsigned int)a;
		key.x += 0x9e3779b9;
		key.y += 0xbb67ae85;
	}
	return c;
}

/* Adds n * 2^64 * upper + n * !upper to the counter. */
PPU_RAND_ void ppu_philox_count_(curandStatePhilox4_32_10_t *s, unsigned long long n, bool upper)
{
	unsigned long long low = s->counter.x | (unsigned long long)s->counter.y << 32;
	unsigned long long high = s->counter.z | (unsigned long long)s->counter.w << 32;

	if (upper) {
		high += n;
	} else {
		low += n;
		high += low < n;
	}
	s->counter.x = (unsigned int)low;
	s->counter.y = (unsigned int)(low >> 32);
	s->counter.z = (unsigned int)high;
	s->counter.w = (unsigned int)(high >> 32);
	s->numbers = curand_Philox4x32_10(s->counter, s->key);
}

PPU_RAND_ unsigned int curand(curandStatePhilox4_32_10_t *s)
{
	unsigned int r = s->used == 0 ? s->numbers.x : s->used == 1 ? s->numbers.y : s->used == 2 ? s->numbers.z :
			 s->numbers.w;

	if (++s->used == 4) {
		s->used = 0;
		ppu_philox_count_(s, 1, false);
	}
	return r;
}

PPU_RAND_ uint4 curand4(curandStatePhilox4_32_10_t *s)
{
	uint4 r;

	r.x = curand(s);
	r.y = curand(s);
	r.z = curand(s);
	r.w = curand(s);
	return r;
}

PPU_RAND_ void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *s)
{
	unsigned int more = s->used + (unsigned int)(n & 3);

	s->used = more & 3;
	ppu_philox_count_(s, (n >> 2) + (more >> 2), false);
}

PPU_RAND_ void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *s)
{
	ppu_philox_count_(s, n, true);
}

PPU_RAND_ void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
			   curandStatePhilox4_32_10_t *s)
{
	s->key.x = (unsigned int)seed;
	s->key.y = (unsigned int)(seed >> 32);
	s->counter.x = s->counter.y = s->counter.z = s->counter.w = s->used = 0;
	s->kept.has_f = s->kept.has_d = false;
	skipahead_sequence(sequence, s);
	skipahead(offset, s);
}

/* ---- distributions, for either generator ---------------------------------------------------- */

/* More than 0, and at most 1. */
template <class S> PPU_RAND_ float curand_uniform(S *s)
{
	return (float)curand(s) * 0x1p-32f + 0x1p-33f;
}

/* Two numbers of the generator make one of 53 bits. */
template <class S> PPU_RAND_ double curand_uniform_double(S *s)
{
	unsigned long long high = curand(s) >> 5, low = curand(s) >> 6;

	return (double)((high << 26 | low) + 1) * 0x1p-53;
}

/* Two normal numbers of two uniform ones (G. Box and M. Muller, 1958). */
template <class S> PPU_RAND_ float2 curand_normal2(S *s)
{
	float radius = curand_uniform(s), angle = 6.283185307f * curand_uniform(s);
	float2 r;

	radius = sqrtf(-2.0f * logf(radius));
	r.x = radius * sinf(angle);
	r.y = radius * cosf(angle);
	return r;
}

template <class S> PPU_RAND_ double2 curand_normal2_double(S *s)
{
	double radius = curand_uniform_double(s), angle = 6.283185307179586 * curand_uniform_double(s);
	double2 r;

	radius = sqrt(-2.0 * log(radius));
	r.x = radius * sin(angle);
	r.y = radius * cos(angle);
	return r;
}

template <class S> PPU_RAND_ float curand_normal(S *s)
{
	float2 pair;

	s->kept.has_f = !s->kept.has_f;
	if (!s->kept.has_f)
		return s->kept.f;
	pair = curand_normal2(s);
	s->kept.f = pair.y;
	return pair.x;
}

template <class S> PPU_RAND_ double curand_normal_double(S *s)
{
	double2 pair;

	s->kept.has_d = !s->kept.has_d;
	if (!s->kept.has_d)
		return s->kept.d;
	pair = curand_normal2_double(s);
	s->kept.d = pair.y;
	return pair.x;
}

template <class S> PPU_RAND_ float curand_log_normal(S *s, float mean, float stddev)
{
	return expf(mean + stddev * curand_normal(s));
}

template <class S> PPU_RAND_ double curand_log_normal_double(S *s, double mean, double stddev)
{
	return exp(mean + stddev * curand_normal_double(s));
}

template <class S> PPU_RAND_ float2 curand_log_normal2(S *s, float mean, float stddev)
{
	float2 r = curand_normal2(s);

	r.x = expf(mean + stddev * r.x);
	r.y = expf(mean + stddev * r.y);
	return r;
}

template <class S> PPU_RAND_ double2 curand_log_normal2_double(S *s, double mean, double stddev)
{
	double2 r = curand_normal2_double(s);

	r.x = exp(mean + stddev * r.x);
	r.y = exp(mean + stddev * r.y);
	return r;
}

/* A few: by the product of uniform numbers (D. Knuth); many: by transformed rejection (W. Hoermann, 1993). */
template <class S> PPU_RAND_ unsigned int curand_poisson(S *s, double lambda)
{
	unsigned int k = 0;

	if (lambda < 10) {
		double limit = exp(-lambda), product = curand_uniform_double(s);

		for (; product > limit; k++)
			product *= curand_uniform_double(s);
		return k;
	}
	double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b, r = 0.9277 - 3.6224 / (b - 2);
	double inverse = 1.1239 + 1.1328 / (b - 3.4);

	for (;;) {
		double u = curand_uniform_double(s) - 0.5, v = curand_uniform_double(s), us = 0.5 - fabs(u);
		double n = floor((2 * a / us + b) * u + lambda + 0.43);

		if (us >= 0.07 && v <= r)
			return (unsigned int)n;
		if (n >= 0 && (us >= 0.013 || v <= us) &&
		    log(v * inverse / (a / (us * us) + b)) <= n * log(lambda) - lambda - lgamma(n + 1))
			return (unsigned int)n;
	}
}

/* ---- four at once, of Philox ---------------------------------------------------------------- */

PPU_RAND_ float4 curand_uniform4(curandStatePhilox4_32_10_t *s)
{
	float4 r;

	r.x = curand_uniform(s);
	r.y = curand_uniform(s);
	r.z = curand_uniform(s);
	r.w = curand_uniform(s);
	return r;
}

PPU_RAND_ double2 curand_uniform2_double(curandStatePhilox4_32_10_t *s)
{
	double2 r;

	r.x = curand_uniform_double(s);
	r.y = curand_uniform_double(s);
	return r;
}

PPU_RAND_ float4 curand_normal4(curandStatePhilox4_32_10_t *s)
{
	float2 a = curand_normal2(s), b = curand_normal2(s);
	float4 r;

	r.x = a.x;
	r.y = a.y;
	r.z = b.x;
	r.w = b.y;
	return r;
}

PPU_RAND_ float4 curand_log_normal4(curandStatePhilox4_32_10_t *s, float mean, float stddev)
{
	float4 r = curand_normal4(s);

	r.x = expf(mean + stddev * r.x);
	r.y = expf(mean + stddev * r.y);
	r.z = expf(mean + stddev * r.z);
	r.w = expf(mean + stddev * r.w);
	return r;
}

PPU_RAND_ uint4 curand_poisson4(curandStatePhilox4_32_10_t *s, double lambda)
{
	uint4 r;

	r.x = curand_poisson(s, lambda);
	r.y = curand_poisson(s, lambda);
	r.z = curand_poisson(s, lambda);
	r.w = curand_poisson(s, lambda);
	return r;
}

#endif
