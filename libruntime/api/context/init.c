/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include <hw/ppu_tmd.h>
#include "api/context/init.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/need.h"
#include "api/context/object.h"
#include "api/memory/copyprio.h"
#include "api/memory/va.h"
#include "api/stream/hostfn.h"
#include "api/stream/names.h"
#include "api/stream/prio.h"
#include "backend/backend.h"
#include "backend/plugin.h"
#include "check/check.h"
#include "debug/debug.h"
#include "prof/prof.h"

#define MAX_DEVICES 8

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_device devices[MAX_DEVICES];
static int num_devices;
static bool ready;
static char *strings[7];
ppuInitOptions rt_opt;
struct rt_copy_conf rt_copy_conf;
struct rt_prio_conf rt_prio_conf;

static const char *setting(const char *given, const char *env, unsigned keep)
{
	const char *s = given ? given : getenv(env);

	free(strings[keep]);
	strings[keep] = s ? strdup(s) : NULL;
	return strings[keep];
}

static void clamp(uint32_t *v, uint32_t def, uint32_t min, uint32_t max)
{
	if (!*v)
		*v = def;
	if (*v < min)
		*v = min;
	if (*v > max)
		*v = max;
}

static ppuResult resolve(const ppuInitOptions *given, int *least, int *greatest)
{
	const char *ring = getenv("PPU_RING_ENTRIES");
	ppuResult res;

	if (given)
		rt_opt = *given;
	else
		memset(&rt_opt, 0, sizeof(rt_opt));
	rt_opt.backend = setting(rt_opt.backend, "PPU_BACKEND", 0);
	rt_opt.props = setting(rt_opt.props, "PPU_PROPS", 1);
	rt_opt.trace = setting(rt_opt.trace, "PPU_TRACE", 2);
	rt_opt.node = setting(rt_opt.node, "PPU_DRM_NODE", 3);
	rt_opt.stream_priorities = setting(rt_opt.stream_priorities, "PPU_STREAM_PRIORITIES", 4);
	rt_opt.copy_priorities = setting(rt_opt.copy_priorities, "PPU_COPY_PRIORITIES", 5);
	rt_opt.task_priorities = setting(rt_opt.task_priorities, "PPU_TASK_PRIORITIES", 6);
	if (!rt_opt.ring_entries && ring)
		rt_opt.ring_entries = (uint32_t)strtoul(ring, NULL, 0);
	clamp(&rt_opt.ring_entries, 1024, 3, 65536);
	clamp(&rt_opt.compute_channels, 8, 1, RT_MAX_COMPUTE);
	clamp(&rt_opt.pushbuf_bytes, 256 << 10, 64 << 10, 64 << 20);
	rt_opt.pushbuf_bytes &= ~0xfffu;
	res = rt_prio_parse(rt_opt.stream_priorities, least, greatest);
	if (!res)
		res = rt_copyprio_parse(rt_opt.copy_priorities, rt_opt.copy_channels,
					(unsigned)abs(*greatest - *least) + 1, &rt_copy_conf);
	if (!res)
		res = rt_taskprio_parse(rt_opt.task_priorities, &rt_prio_conf);
	return res;
}

/* The in-process device, for a program that did not ask for it: said once, so that nobody takes it for the driver's. */
static void tell_fallback(void)
{
	static bool told;

	if (!told)
		fprintf(stderr, "libppu: no PPU here (no render node in /dev/dri, none on the PCI bus): using the device inside this "
			"process. PPU_BACKEND=core does so without this line.\n");
	told = true;
}

/* How many PPUs the driver has. */
static ppuResult count_drm(int *n)
{
	char *err = NULL;
	ppuResult res;

	*n = ppu_be_drm.count(&rt_opt, &err);
	if (*n >= 0)
		return PPU_SUCCESS;
	res = rt_fail(*n == -EACCES || *n == -EPERM ? PPU_ERROR_PERMISSION : PPU_ERROR_NO_DEVICE, "%s",
		      err ? err : strerror(-*n));
	free(err);
	return res;
}

/* n: how many devices there are, at least one. */
static ppuResult choose(const char *name, const struct be_ops **be, int *n)
{
	bool asked = !strcmp(name, "core");
	ppuResult res;
	char *err;

	if (!asked && strcmp(name, "auto") && strcmp(name, "drm"))
		return rt_fail(PPU_ERROR_CONFIGURATION, "there is no backend \"%s\" (drm, core, auto)", name);
	if (!asked) {
		*be = &ppu_be_drm;
		res = count_drm(n);
		if (res || *n)
			return res;
		if (!strcmp(name, "drm"))
			return rt_fail(PPU_ERROR_NO_DEVICE, "there is no PPU: no render node in /dev/dri, and none on the PCI bus "
				       "(PPU_BACKEND=core is the device inside the process)");
	}
	*be = ppu_be_core_get(&err);
	if (*be) {
		*n = (*be)->count(&rt_opt, &err);
		if (*n < 0) {
			res = rt_fail(PPU_ERROR_CONFIGURATION, "%s", err ? err : strerror(-*n));
			free(err);
			return res;
		}
		if (!asked)
			tell_fallback();
		return PPU_SUCCESS;
	}
	res = rt_fail(PPU_ERROR_NO_DEVICE, "%s%s", asked ? "" : "there is no PPU render node in /dev/dri, and ",
		      err ? err : ppuGetErrorString(PPU_ERROR_NO_DEVICE));
	free(err);
	return res;
}

/* By whoever is asked for in the environment. */
static int watch_device(struct rt_device *d, char **err)
{
	int rc = chk_open(d->be, d->dev, rt_va_inside, err);

	if (!rc)
		rc = prof_open(d->be, d->dev, &d->prop, err);
	if (!rc) {
		rc = dbg_open(d->be, d->dev, err);
		if (rc)
			prof_close(d->be, d->dev);
	}
	if (rc)
		chk_close(d->be, d->dev);
	return rc;
}

static void close_device(struct rt_device *d)
{
	dbg_close(d->be, d->dev);
	prof_close(d->be, d->dev);
	chk_close(d->be, d->dev);
	d->be->close(d->dev);
}

static ppuResult open_devices(int least, int greatest)
{
	const char *name = rt_opt.backend && *rt_opt.backend ? rt_opt.backend : "auto";
	const struct be_ops *be = NULL;
	ppuResult res;
	int n = 0;

	rt_names_open();
	res = choose(name, &be, &n);
	if (res)
		return res;
	if (n > MAX_DEVICES)
		n = MAX_DEVICES;
	for (int i = 0; i < n; i++) {
		struct rt_device *d = &devices[i];
		char *err = NULL, why[RT_PRIO_REFUSAL];
		int rc;

		memset(d, 0, sizeof(*d));
		d->be = be;
		rc = be->open(&rt_opt, (unsigned)i, &d->dev, &err);
		if (!rc) {
			rc = be->props(d->dev, &d->prop);
			if (!rc)
				rc = watch_device(d, &err);
			if (rc)
				be->close(d->dev);
		}
		if (!rc && !rt_prio_depth_ok(&d->prop, rt_prio_depth(&d->prop), why)) {
			close_device(d);
			err = strdup(why);
			rc = -EINVAL;
		}
		if (rc) {
			if (err)
				res = rt_fail(rc == -ENOMEM ? PPU_ERROR_OUT_OF_HOST_MEMORY : PPU_ERROR_CONFIGURATION,
					      "%s", err);
			else
				res = rt_errno(rc, "opening the device");
			free(err);
			while (i--)
				close_device(&devices[i]);
			return res;
		}
		snprintf(d->prop.name, sizeof(d->prop.name), "PPU (%u SMs)", d->prop.sms);
		snprintf(d->prop.backend, sizeof(d->prop.backend), "%s", be->name);
		d->prop.max_threads_per_block = PPU_MAX_THREADS_PER_CTA;
		d->prop.max_threads_per_sm = d->prop.warps_per_sm * d->prop.warp_size;
		d->prop.max_block[0] = d->prop.max_block[1] = PPU_MAX_THREADS_PER_CTA;
		d->prop.max_block[2] = 64;
		d->prop.max_grid[0] = PPU_MAX_GRID_X;
		d->prop.max_grid[1] = d->prop.max_grid[2] = PPU_MAX_GRID_YZ;
		d->prop.stream_priority_least = least;
		d->prop.stream_priority_greatest = greatest;
		if (rt_opt.ring_entries > d->prop.ring_max)
			rt_opt.ring_entries = d->prop.ring_max;
	}
	num_devices = n;
	return PPU_SUCCESS;
}

static ppuResult init_locked(const ppuInitOptions *options)
{
	int least, greatest;
	ppuResult res;

	if (ready)
		return PPU_SUCCESS;
	res = resolve(options, &least, &greatest);
	if (!res)
		res = open_devices(least, greatest);
	__atomic_store_n(&ready, res == PPU_SUCCESS, __ATOMIC_RELEASE);	/* after the devices: rt_init() takes no lock */
	return res;
}

ppuResult ppuInit(const ppuInitOptions *options)
{
	ppuResult res;

	pthread_mutex_lock(&lock);
	res = init_locked(options);
	pthread_mutex_unlock(&lock);
	return res;
}

ppuResult rt_init(void)
{
	return __atomic_load_n(&ready, __ATOMIC_ACQUIRE) ? PPU_SUCCESS : ppuInit(NULL);
}

ppuResult rt_device(ppuDevice n, struct rt_device **dev)
{
	ppuResult res = rt_init();

	if (res)
		return res;
	if (n < 0 || n >= num_devices)
		return rt_error(PPU_ERROR_INVALID_DEVICE);
	*dev = &devices[n];
	return PPU_SUCCESS;
}

int rt_devices(void)
{
	return num_devices;
}

bool rt_poll_others(const struct rt_device *dev)
{
	bool any = false;

	for (int i = 0; i < num_devices; i++)
		if (&devices[i] != dev)
			any |= devices[i].be->poll(devices[i].dev);
	return any;
}

ppuResult ppuGetVersion(int *version)
{
	if (!version)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	*version = PPU_VERSION_MAJOR * 1000 + PPU_VERSION_MINOR;
	return PPU_SUCCESS;
}

ppuResult ppuDeviceGetCount(int *count)
{
	ppuResult res = rt_init();

	if (res)
		return res;
	if (!count)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	*count = num_devices;
	return PPU_SUCCESS;
}

ppuResult ppuDeviceGetProperties(ppuDeviceProp *prop, ppuDevice device)
{
	struct rt_device *d;
	ppuResult res = rt_device(device, &d);

	if (res)
		return res;
	if (!prop)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	*prop = d->prop;
	return PPU_SUCCESS;
}

ppuResult ppuDeviceGetTime(ppuDevice device, uint64_t *ns)
{
	struct rt_device *d;
	ppuResult res = rt_device(device, &d);

	if (res)
		return res;
	if (!ns)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	return rt_errno(d->be->time(d->dev, ns), "reading the device's clock");
}

ppuResult ppuDeviceGetCounterName(ppuDevice device, int index, const char **name)
{
	struct rt_device *d;
	ppuResult res = rt_device(device, &d);

	if (res)
		return res;
	if (!name || index < 0 || !ppu_be_counter_name((unsigned)index))
		return rt_error(PPU_ERROR_INVALID_VALUE);
	*name = ppu_be_counter_name((unsigned)index);
	return PPU_SUCCESS;
}

ppuResult rt_mem_info(const struct rt_device *dev, size_t *free_bytes, size_t *total_bytes)
{
	uint64_t avail, total;
	ppuResult res = rt_errno(dev->be->mem_info(dev->dev, &avail, &total), "asking for free memory");

	if (!res) {
		*free_bytes = avail;
		*total_bytes = total;
	}
	return res;
}

ppuResult ppuDeviceGetMemInfo(ppuDevice device, size_t *free_bytes, size_t *total_bytes)
{
	struct rt_device *d;
	ppuResult res = rt_device(device, &d);

	if (res)
		return res;
	if (!free_bytes || !total_bytes)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	return rt_mem_info(d, free_bytes, total_bytes);
}

ppuResult ppuDeviceGetCounters(ppuDevice device, uint64_t *values, int count)
{
	struct rt_device *d;
	ppuResult res = rt_device(device, &d);

	if (res)
		return res;
	if (!values || count < 0 || count > PPU_CTR_COUNT)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	return rt_errno(d->be->counters(d->dev, (unsigned)count, values), "reading counters");
}

ppuResult ppuDeviceGetCounter(ppuDevice device, const char *name, uint64_t *value)
{
	uint64_t all[PPU_CTR_COUNT];
	struct rt_device *d;
	ppuResult res = rt_device(device, &d);
	const char *n;

	if (res)
		return res;
	if (!name || !value)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	for (unsigned i = 0; (n = ppu_be_counter_name(i)); i++) {
		if (strcmp(n, name))
			continue;
		res = ppuDeviceGetCounters(device, all, (int)i + 1);
		if (!res)
			*value = all[i];
		return res;
	}
	return rt_fail(PPU_ERROR_NOT_FOUND, "there is no counter \"%s\"", name);
}

/* ---- contexts of the process ------------------------------------------------------------------ */

static struct ppuCtx_st *all;	/* under lock */
static __thread struct ppuCtx_st *current;

static ppuResult create(struct rt_device *d, unsigned flags, struct ppuCtx_st **out)
{
	struct ppuCtx_st *ctx;
	ppuResult res = rt_ctx_create(d, flags, &ctx);

	if (res)
		return res;
	ctx->next = all;
	all = ctx;
	rt_obj_publish(&ctx->obj);
	*out = ctx;
	return PPU_SUCCESS;
}

static void forget(struct ppuCtx_st *ctx)
{
	for (struct ppuCtx_st **p = &all; *p; p = &(*p)->next) {
		if (*p == ctx) {
			*p = ctx->next;
			break;
		}
	}
	if (ctx->device->primary == ctx)
		ctx->device->primary = NULL;
}

ppuResult ppuCtxCreate(ppuCtx *out, unsigned flags, ppuDevice device)
{
	struct rt_device *d;
	ppuResult res = rt_device(device, &d);

	if (res)
		return res;
	if (!out || flags & ~PPU_CTX_NO_COPY_PRIORITIES)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	pthread_mutex_lock(&lock);
	res = create(d, flags, out);
	pthread_mutex_unlock(&lock);
	if (!res)
		current = *out;
	return res;
}

ppuResult ppuCtxDestroy(ppuCtx handle)
{
	struct ppuCtx_st *ctx;
	ppuResult res = rt_host_refuse();

	if (res)
		return res;
	ctx = rt_obj_get(handle, RT_CTX);
	if (!ctx)
		return rt_error(PPU_ERROR_INVALID_HANDLE);
	if (rt_obj_withdraw(&ctx->obj)) {
		pthread_mutex_lock(&lock);
		forget(ctx);
		pthread_mutex_unlock(&lock);
		rt_ctx_destroy(ctx);
		rt_obj_put(&ctx->obj);
	}
	if (current == ctx)
		current = NULL;
	rt_obj_put(&ctx->obj);
	return PPU_SUCCESS;
}

ppuResult ppuCtxSetCurrent(ppuCtx handle)
{
	struct ppuCtx_st *ctx = NULL;

	if (handle) {
		ctx = rt_obj_get(handle, RT_CTX);
		if (!ctx)
			return rt_error(PPU_ERROR_INVALID_HANDLE);
		rt_obj_put(&ctx->obj);
	}
	current = ctx;
	return PPU_SUCCESS;
}

ppuResult rt_current(struct ppuCtx_st **out)
{
	ppuResult res = rt_init();
	struct ppuCtx_st *ctx;

	if (res)
		return res;
	if (current) {
		ctx = rt_obj_get(current, RT_CTX);
		if (!ctx)
			return rt_fail(PPU_ERROR_INVALID_CONTEXT, "this thread's context was destroyed");
		*out = ctx;
		return PPU_SUCCESS;
	}
	pthread_mutex_lock(&lock);
	if (!devices[0].primary)
		res = create(&devices[0], 0, &devices[0].primary);
	if (!res) {
		*out = devices[0].primary;
		rt_obj_ref(&(*out)->obj);
	}
	pthread_mutex_unlock(&lock);
	return res;
}

ppuResult ppuCtxGetCurrent(ppuCtx *out)
{
	struct ppuCtx_st *ctx;
	ppuResult res;

	if (!out)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_current(&ctx);
	if (res)
		return res;
	*out = ctx;
	rt_obj_put(&ctx->obj);
	return PPU_SUCCESS;
}

ppuResult ppuCtxGetDevice(ppuDevice *device)
{
	struct ppuCtx_st *ctx;
	ppuResult res;

	if (!device)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_current(&ctx);
	if (res)
		return res;
	*device = (int)(ctx->device - devices);
	rt_obj_put(&ctx->obj);
	return PPU_SUCCESS;
}

ppuResult ppuShutdown(void)
{
	struct ppuCtx_st *ctx;
	ppuResult res = rt_host_refuse();

	if (res)
		return res;
	pthread_mutex_lock(&lock);
	while ((ctx = all)) {
		forget(ctx);
		if (rt_obj_withdraw(&ctx->obj)) {
			rt_ctx_destroy(ctx);
			rt_obj_put(&ctx->obj);
		}
	}
	for (int i = 0; i < num_devices; i++)
		close_device(&devices[i]);
	num_devices = 0;
	__atomic_store_n(&ready, false, __ATOMIC_RELEASE);
	current = NULL;
	for (unsigned i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		free(strings[i]);
		strings[i] = NULL;
	}
	pthread_mutex_unlock(&lock);
	return PPU_SUCCESS;
}
