/* SPDX-License-Identifier: MIT */
/* cuda/atomic: each operation on each type, on the device and on the host; many threads; a message. */
#include <cuda/atomic>
#include <cuda/std/atomic>
#include <cstring>
#include "test.h"

/* ---- one thread: what the operations return and leave behind --------------------------------- */

struct pair {
	short a, b;
};

template <class T> __host__ __device__ bool numbers(T *memory)
{
	cuda::atomic_ref<T, cuda::thread_scope_device> r(*memory);
	cuda::atomic<T> a(T(5));
	T expected = T(4);
	bool ok = true;

	r.store(T(7));
	ok &= r.load() == T(7) && r == T(7) && *memory == T(7);
	ok &= r.fetch_add(T(3)) == T(7) && r.fetch_sub(T(1), cuda::memory_order_relaxed) == T(10) && r.load() == T(9);
	ok &= r.exchange(T(20)) == T(9) && r.fetch_min(T(6)) == T(20) && r.fetch_min(T(9)) == T(6);
	ok &= r.fetch_max(T(11)) == T(6) && r.fetch_max(T(2)) == T(11) && r.load() == T(11);
	ok &= ++r == T(12) && r++ == T(12) && --r == T(12) && r-- == T(12) && (r += T(4)) == T(15) && (r -= T(5)) == T(10);
	ok &= !a.compare_exchange_strong(expected, T(8)) && expected == T(5) && a.load() == T(5);
	ok &= a.compare_exchange_weak(expected, T(8)) && expected == T(5) && a == T(8);
	ok &= (a = T(3)) == T(3) && a.load(cuda::std::memory_order_acquire) == T(3);
	ok &= a.is_lock_free() && cuda::atomic<T>::is_always_lock_free && sizeof(a) == (sizeof(T) < 4 ? 4 : sizeof(T));
	return ok;
}

template <class T> __host__ __device__ bool masks(T *memory)
{
	cuda::atomic_ref<T> r(*memory);
	T none = T(0), all = T(~none);
	bool ok = numbers(memory);

	r = T(12);
	ok &= r.fetch_and(T(10)) == T(12) && r.fetch_or(T(5)) == T(8) && r.fetch_xor(T(9)) == T(13) && r == T(4);
	ok &= (r &= T(6)) == T(4) && (r |= T(1)) == T(5) && (r ^= T(4)) == T(1);
	r = all;			/* arithmetic goes round, and does not touch the neighbours */
	ok &= r.fetch_add(T(1)) == all && r.load() == none && r.fetch_sub(T(1)) == none && r.load() == all;
	return ok;
}


/* Every type at each place that it may have in a word, with 0xaa around it. */
template <class T, class F> __host__ __device__ bool everywhere(F f)
{
	unsigned long long words[3];
	unsigned char *b = (unsigned char *)words;
	bool ok = true;

	for (unsigned int at = 8; at < 16; at += sizeof(T)) {
		for (unsigned int i = 0; i < sizeof(words); i++)
			b[i] = 0xaa;
		ok &= f((T *)(b + at));
		for (unsigned int i = 0; i < sizeof(words); i++)
			ok &= b[i] == 0xaa || (i >= at && i < at + sizeof(T));
	}
	return ok;
}

__host__ __device__ unsigned int alone()
{
	unsigned int wrong = 0;
	int array[10] = { 0 }, *p;
	bool b;

	wrong |= !everywhere<signed char>(masks<signed char>) << 0 | !everywhere<unsigned char>(masks<unsigned char>) << 1;
	wrong |= !everywhere<short>(masks<short>) << 2 | !everywhere<unsigned short>(masks<unsigned short>) << 3;
	wrong |= !everywhere<int>(masks<int>) << 4 | !everywhere<unsigned int>(masks<unsigned int>) << 5;
	wrong |= !everywhere<long>(masks<long>) << 6 | !everywhere<unsigned long long>(masks<unsigned long long>) << 7;
	wrong |= !everywhere<float>(numbers<float>) << 8 | !everywhere<double>(numbers<double>) << 9;
	cuda::atomic<int *, cuda::thread_scope_block> pointer(array);
	pointer += 3;
	p = pointer.fetch_sub(1);
	wrong |= (p != array + 3 || pointer != array + 2 || ++pointer != array + 3) << 10;
	cuda::std::atomic<bool> flag(false);
	b = flag.exchange(true);
	wrong |= (b || !flag) << 11;
	static_assert(alignof(cuda::atomic<pair>) == 4, "it fits a word");
	cuda::atomic<pair, cuda::thread_scope_thread> two(pair{ 1, -2 });
	pair was = { 1, -1 };
	b = two.compare_exchange_strong(was, pair{ 3, 4 });
	wrong |= (b || was.b != -2 || !two.compare_exchange_strong(was, pair{ 3, 4 }) || two.load().b != 4) << 12;
	cuda::std::atomic_flag f;
	b = f.test_and_set();
	wrong |= (b || !f.test_and_set() || !f.test()) << 13;
	f.clear();
	wrong |= f.test() << 14;
	cuda::atomic<int> w(1);
	w.wait(2);
	w.notify_all();
	return wrong;
}

__global__ void alone_kernel(unsigned int *wrong)
{
	*wrong = alone();
}

/* ---- many threads ---------------------------------------------------------------------------- */

enum { BLOCKS = 8, THREADS = 64, ALL = BLOCKS * THREADS };

struct shared_words {
	cuda::atomic<int> sum, least, most;
	cuda::atomic<unsigned int, cuda::thread_scope_device> bits[ALL / 32];
	unsigned char bytes[4];
	cuda::atomic<double> real;
	cuda::atomic<unsigned long long> product;
	unsigned int places[ALL];
	unsigned int next;
};

__global__ void many(shared_words *w, int *block_sums)
{
	__shared__ cuda::atomic<int, cuda::thread_scope_block> in_block;
	int n = blockIdx.x * THREADS + threadIdx.x;
	unsigned long long was = w->product.load(cuda::memory_order_relaxed);

	if (!threadIdx.x)
		in_block.store(0);
	__syncthreads();
	/* first of all, while all threads are together: parts of one word, which fail because of one another */
	cuda::atomic_ref<unsigned char, cuda::thread_scope_device>(w->bytes[n % 4]).fetch_add(1);
	in_block.fetch_add(n, cuda::memory_order_relaxed);
	w->sum += n;
	w->least.fetch_min(-n);
	w->most.fetch_max(n);
	w->bits[n / 32].fetch_xor(1u << n % 32);
	w->real.fetch_add(0.5);
	while (!w->product.compare_exchange_weak(was, was * 3))
		;
	w->places[cuda::atomic_ref<unsigned int>(w->next)++] = n;
	__syncthreads();
	if (!threadIdx.x)
		block_sums[blockIdx.x] = in_block;
}

static void many_threads()
{
	shared_words *w;
	bool seen[ALL] = { false };
	unsigned long long product = 1;
	int *sums;

	OK(cudaMallocManaged(&w, sizeof(*w)));
	OK(cudaMallocManaged(&sums, BLOCKS * sizeof(*sums)));
	memset((void *)w, 0, sizeof(*w));
	w->product = 1;
	w->bytes[1] = 1;		/* what the byte before it becomes first */
	many<<<BLOCKS, THREADS>>>(w, sums);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < ALL; i++) {
		product *= 3;
		CHECK(w->places[i] < ALL && !seen[w->places[i]]);
		seen[w->places[i]] = true;
	}
	CHECK(w->sum == ALL * (ALL - 1) / 2 && w->least == -(ALL - 1) && w->most == ALL - 1 && w->next == ALL);
	CHECK(w->real == ALL * 0.5 && w->product == product);
	for (auto &b : w->bits)
		CHECK(b == ~0u);
	for (int i = 0; i < 4; i++)
		CHECK(w->bytes[i] == (unsigned char)(ALL / 4 + (i == 1)));
	for (int b = 0; b < BLOCKS; b++)
		CHECK(sums[b] == THREADS * (b * THREADS) + THREADS * (THREADS - 1) / 2);
	OK(cudaFree(w));
	OK(cudaFree(sums));
}

/* One block writes, another waits for the word that says so. */
__global__ void message(cuda::atomic<int, cuda::thread_scope_device> *ready, int *data, int *seen)
{
	if (blockIdx.x == 1 && !threadIdx.x) {
		for (int i = 0; i < 100; i++)
			data[i] = i + 1;
		ready->store(1, cuda::memory_order_release);
		ready->notify_all();
	} else if (!threadIdx.x) {
		int sum = 0;

		ready->wait(0, cuda::memory_order_acquire);
		for (int i = 0; i < 100; i++)
			sum += data[i];
		*seen = sum;
	}
	cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_block);
	cuda::std::atomic_thread_fence(cuda::std::memory_order_acq_rel);
}

static void messages()
{
	cuda::atomic<int, cuda::thread_scope_device> *ready;
	int *data;

	OK(cudaMalloc(&ready, sizeof(*ready)));
	OK(cudaMemset(ready, 0, sizeof(*ready)));
	OK(cudaMallocManaged(&data, 101 * sizeof(*data)));
	message<<<2, 32>>>(ready, data, data + 100);
	OK(cudaDeviceSynchronize());
	CHECK(data[100] == 5050);
	OK(cudaFree(ready));
	OK(cudaFree(data));
}

int main()
{
	unsigned int *wrong;

	if (alone())
		printf("0x%x\n", alone());
	CHECK(alone() == 0);
	OK(cudaMallocManaged(&wrong, sizeof(*wrong)));
	alone_kernel<<<1, 1>>>(wrong);
	OK(cudaDeviceSynchronize());
	if (*wrong)
		printf("0x%x\n", *wrong);
	CHECK(*wrong == 0);
	OK(cudaFree(wrong));
	many_threads();
	messages();
	return 0;
}
