/* SPDX-License-Identifier: MIT */
/* GET_PARAM and QUERY. */
#define _GNU_SOURCE
#include <stddef.h>

#include "harness.h"
#include "sysfile.h"

TEST(params, "every parameter has a plausible value")
{
	int fd = open_ppu();
	struct drm_ppu_get_param a = { .param = 9999 };

	CHECK_EQ(get_param(fd, DRM_PPU_PARAM_PCI_ID),
		 (uint64_t)PPU_PCI_DEVICE_ID << 16 | PPU_PCI_VENDOR_ID);
	CHECK_EQ(get_param(fd, DRM_PPU_PARAM_VA_BITS), 48);
	CHECK(get_param(fd, DRM_PPU_PARAM_PAGE_SIZES) & 4096);
	CHECK(get_param(fd, DRM_PPU_PARAM_VRAM_SIZE) >= 1 << 20);
	CHECK(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) <=
	      get_param(fd, DRM_PPU_PARAM_VRAM_SIZE));
	CHECK_EQ(get_param(fd, DRM_PPU_PARAM_TIMESTAMP_HZ), 1000000000);
	CHECK_EQ(get_param(fd, DRM_PPU_PARAM_GPFIFO_MIN_ENTRIES), 3);
	CHECK(get_param(fd, DRM_PPU_PARAM_NUM_SMS) >= 1);
	CHECK(get_param(fd, DRM_PPU_PARAM_MAX_CHANNELS) >= 1);
	CHECK_EQ(get_param(fd, DRM_PPU_PARAM_MAX_QUEUE_PRIORITY), PPU_QUEUE_PRIO_MAX);
	for (uint32_t p = 0; p <= DRM_PPU_PARAM_MAX_LOCAL_PER_THREAD; p++)
		get_param(fd, p);
	DO_ERR(fd, DRM_IOCTL_PPU_GET_PARAM, &a, EINVAL);
	a = (struct drm_ppu_get_param){ .param = 0, .index = 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_GET_PARAM, &a, EINVAL);
	DO_ERR(fd, DRM_IOCTL_PPU_GET_PARAM, (void *)BAD_PTR, EFAULT);
}

TEST(unknown_ioctl, "an ioctl number beyond the last one is refused")
{
	int fd = open_ppu();
	uint64_t dummy[4] = { 0 };

	DO_ERR(fd, DRM_IOWR(DRM_COMMAND_BASE + 0x3f, uint64_t[4]), dummy, EINVAL);
}

TEST(client_id, "two opens are two clients")
{
	int a = open_ppu(), b = open_ppu();

	CHECK(get_param(a, DRM_PPU_PARAM_CLIENT_ID) != get_param(b, DRM_PPU_PARAM_CLIENT_ID));
}

TEST(query_sizes, "QUERY negotiates sizes: none, short, exact, long")
{
	int fd = open_ppu();

	for (uint32_t type = 0; type <= DRM_PPU_QUERY_TIMESTAMPS; type++) {
		struct drm_ppu_query q = { .type = type };
		unsigned char buf[512];
		uint32_t size;

		DO(fd, DRM_IOCTL_PPU_QUERY, &q);
		size = q.size;
		CHECK(size && size < sizeof(buf) - 8);

		memset(buf, 0xee, sizeof(buf));
		q = (struct drm_ppu_query){ .type = type, .size = 4, .ptr = (uintptr_t)buf };
		DO(fd, DRM_IOCTL_PPU_QUERY, &q);
		CHECK_EQ(q.size, size);
		CHECK_EQ(buf[4], 0xee);

		q = (struct drm_ppu_query){ .type = type, .size = size + 8, .ptr = (uintptr_t)buf };
		DO(fd, DRM_IOCTL_PPU_QUERY, &q);
		CHECK_EQ(buf[size], 0);
		CHECK_EQ(buf[size + 7], 0);
		CHECK_EQ(buf[size + 8], 0xee);

		q = (struct drm_ppu_query){ .type = type, .size = size, .ptr = BAD_PTR };
		DO_ERR(fd, DRM_IOCTL_PPU_QUERY, &q, EFAULT);
	}
	struct drm_ppu_query q = { .type = 77 };

	DO_ERR(fd, DRM_IOCTL_PPU_QUERY, &q, EINVAL);
}

/* One element of every array, in elements of another size. */
static void strided(int fd, uint32_t type, uint32_t each)
{
	unsigned char as_is[4096], buf[4096];
	struct drm_ppu_query q = { .type = type, .size = sizeof(as_is), .ptr = (uintptr_t)as_is };
	uint32_t n;

	DO(fd, DRM_IOCTL_PPU_QUERY, &q);
	CHECK(!(q.size % each));
	n = q.size / each;
	for (uint32_t stride = 8; stride <= each + 16; stride += 8) {
		uint32_t part = stride < each ? stride : each;

		memset(buf, 0xee, sizeof(buf));
		q = (struct drm_ppu_query){
			.type = type, .size = n * stride + 8, .ptr = (uintptr_t)buf, .stride = stride,
		};
		DO(fd, DRM_IOCTL_PPU_QUERY, &q);
		CHECK_EQ(q.size, n * stride);
		for (uint32_t i = 0; i < n; i++) {
			/* free memory may change meanwhile, what kind of memory it is does not */
			CHECK(!memcmp(buf + i * stride, as_is + i * each, 4));
			for (uint32_t k = part; k < stride; k++)
				CHECK_EQ(buf[i * stride + k], 0);
		}
		for (uint32_t k = 0; k < 8; k++)
			CHECK_EQ(buf[n * stride + k], 0);
		CHECK_EQ(buf[n * stride + 8], 0xee);
	}
	/* room for the first element and a half */
	memset(buf, 0xee, sizeof(buf));
	q = (struct drm_ppu_query){
		.type = type, .size = each + 8 + 4, .ptr = (uintptr_t)buf, .stride = each + 8,
	};
	DO(fd, DRM_IOCTL_PPU_QUERY, &q);
	CHECK_EQ(q.size, n * (each + 8));
	CHECK(!memcmp(buf + each + 8, as_is + each, 4));
	CHECK_EQ(buf[each + 12], 0xee);
}

TEST(strides, "the elements of an array have the size that the caller knows")
{
	int fd = open_ppu();
	struct drm_ppu_query q = { .type = DRM_PPU_QUERY_SM_CONFIG, .stride = 72 };

	strided(fd, DRM_PPU_QUERY_ENGINES, sizeof(struct drm_ppu_engine_info));
	strided(fd, DRM_PPU_QUERY_MEM_REGIONS, sizeof(struct drm_ppu_mem_region));
	strided(fd, DRM_PPU_QUERY_LIMITS, sizeof(struct drm_ppu_limit));
	strided(fd, DRM_PPU_QUERY_USER_LIMITS, sizeof(struct drm_ppu_limit));
	/* what is no array has no elements */
	DO_ERR(fd, DRM_IOCTL_PPU_QUERY, &q, EINVAL);
	q.type = DRM_PPU_QUERY_TIMESTAMPS;
	DO_ERR(fd, DRM_IOCTL_PPU_QUERY, &q, EINVAL);
	q = (struct drm_ppu_query){ .type = DRM_PPU_QUERY_ENGINES, .stride = 12 };
	DO_ERR(fd, DRM_IOCTL_PPU_QUERY, &q, EINVAL);
	q.stride = 8192;
	DO_ERR(fd, DRM_IOCTL_PPU_QUERY, &q, EINVAL);
	q = (struct drm_ppu_query){ .type = DRM_PPU_QUERY_ENGINES, .pad = 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_QUERY, &q, EINVAL);
	q = (struct drm_ppu_query){
		.type = DRM_PPU_QUERY_LIMITS, .size = 4096, .ptr = BAD_PTR, .stride = 24,
	};
	DO_ERR(fd, DRM_IOCTL_PPU_QUERY, &q, EFAULT);
}

static int counters(int fd)
{
	uint64_t all[8];
	struct drm_ppu_query q = {
		.type = DRM_PPU_QUERY_COUNTERS, .size = sizeof(all), .ptr = (uintptr_t)all,
	};

	return try_ioctl(fd, DRM_IOCTL_PPU_QUERY, &q);
}

/* The file was opened by root: who asks counts. */
static void ask_as_nobody(void *arg)
{
	struct drm_ppu_query q = { .type = DRM_PPU_QUERY_COUNTERS };
	int fd = *(int *)arg;

	CHECK(!setresuid(65534, 65534, 65534));
	CHECK_EQ(counters(fd), modparam("counters_paranoid") ? EACCES : 0);
	DO(fd, DRM_IOCTL_PPU_QUERY, &q);
	CHECK(q.size);
}

TEST(counters, "what all clients do is shown to who may look at performance, unless it is for everybody")
{
	int fd = open_ppu();

	CHECK_EQ(counters(fd), 0);
	CHECK_EQ(modparam("counters_paranoid"), 1);
	CHECK_EQ(signal_of(ask_as_nobody, &fd), 0);
	modparam_set("counters_paranoid", 0);
	CHECK_EQ(signal_of(ask_as_nobody, &fd), 0);
	modparam_set("counters_paranoid", 1);
}

TEST(timestamps, "device time goes on, and never backwards")
{
	int fd = open_ppu();
	struct drm_ppu_timestamps first, t, last;
	struct drm_ppu_query q = {
		.type = DRM_PPU_QUERY_TIMESTAMPS, .size = sizeof(t), .ptr = (uintptr_t)&t,
	};
	uint64_t end = now_ns() + 20000 * MS * time_scale();

	DO(fd, DRM_IOCTL_PPU_QUERY, &q);
	first = last = t;
	do {
		DO(fd, DRM_IOCTL_PPU_QUERY, &q);
		CHECK(t.gpu_ns >= last.gpu_ns && t.cpu_ns >= last.cpu_ns);
		CHECK(t.cpu_ns < end);
		last = t;
		sleep_ms(1);
	} while (t.gpu_ns == first.gpu_ns || t.cpu_ns == first.cpu_ns);
}

TEST(sm_config, "the configuration agrees with the parameters")
{
	int fd = open_ppu();
	struct drm_ppu_sm_config c;
	struct drm_ppu_query q = {
		.type = DRM_PPU_QUERY_SM_CONFIG, .size = sizeof(c), .ptr = (uintptr_t)&c,
	};

	DO(fd, DRM_IOCTL_PPU_QUERY, &q);
	CHECK_EQ(c.gpcs * c.sms_per_gpc, get_param(fd, DRM_PPU_PARAM_NUM_SMS));
	CHECK_EQ(c.warp_size, 32);
	CHECK(c.warps_per_sm && c.regs_per_sm && c.shared_per_sm && c.token_queue_entries);
}

TEST(version, "the driver says which version of the interface it is")
{
	drmVersionPtr v = drmGetVersion(open_ppu());

	CHECK(v);
	CHECK_EQ(v->version_major, DRM_PPU_MAJOR);
	CHECK_EQ(v->version_minor, DRM_PPU_MINOR);
	drmFreeVersion(v);
}

/* An ioctl of a program that knows only the first @size bytes of the structure. */
static int old_ioctl(int fd, unsigned long req, unsigned size, void *arg)
{
	req = (req & ~(unsigned long)(_IOC_SIZEMASK << _IOC_SIZESHIFT)) |
	      (unsigned long)size << _IOC_SIZESHIFT;
	return try_ioctl(fd, req, arg);
}

TEST(old_sizes, "programs built for version 0.1, with shorter structures, work as before")
{
	int fd = open_ppu();
	struct {
		struct drm_ppu_channel_create a;
		uint64_t canary[4];
	} c;
	struct drm_ppu_vm_get_state s;

	/* what lies behind the old structure is neither read nor written */
	memset(&c, 0xa5, sizeof(c));
	memset(&c, 0, offsetof(struct drm_ppu_channel_create, group_id));
	c.a.vm_id = vm_new(fd);
	c.a.type = DRM_PPU_CHANNEL_COPY;
	c.a.flags = DRM_PPU_CHANNEL_USER_SUBMIT;
	c.a.gpfifo_entries = 8;
	CHECK_EQ(old_ioctl(fd, DRM_IOCTL_PPU_CHANNEL_CREATE,
			   offsetof(struct drm_ppu_channel_create, group_id), &c), 0);
	CHECK(c.a.channel_id);
	CHECK_EQ(c.a.group_id, 0xa5a5a5a5);
	CHECK_EQ(c.canary[0], 0xa5a5a5a5a5a5a5a5ull);

	memset(&s, 0xa5, sizeof(s));
	memset(&s, 0, offsetof(struct drm_ppu_vm_get_state, binds_queued));
	s.vm_id = c.a.vm_id;
	CHECK_EQ(old_ioctl(fd, DRM_IOCTL_PPU_VM_GET_STATE,
			   offsetof(struct drm_ppu_vm_get_state, binds_queued), &s), 0);
	CHECK_EQ(s.fault_total, 0);
	CHECK_EQ(s.binds_queued, 0xa5a5a5a5a5a5a5a5ull);
	CHECK_EQ(s.pad, 0xa5a5a5a5);
}

HARNESS_MAIN
