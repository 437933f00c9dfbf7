/* SPDX-License-Identifier: MIT */
/* Devices and their attributes. */
#include <stdio.h>
#include <string.h>

#include <ppu.h>
#include <hw/ppu_regs.h>
#include "common/capability.h"
#include "cuda/context/device.h"
#include "cuda/context/error.h"
#include "cuda/memory/format.h"
#include "cuda/module/function.h"

/* The PPU can do what a device of this compute capability can do. */

static bool ready;

CUresult cu_ready(void)
{
	return __atomic_load_n(&ready, __ATOMIC_ACQUIRE) ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

/* CUDA has no code for errors such as "there is no backend PPU_BACKEND=foo", so libppu's sentence goes to standard
 * error, once. */
static CUresult init_failed(CUresult r, const char *sentence)
{
	static bool told;

	if (!__atomic_exchange_n(&told, true, __ATOMIC_ACQ_REL))
		fprintf(stderr, "libcuda: %s\n", sentence);
	return r;
}

CUresult i_cuInit(unsigned int flags)
{
	ppuResult res;
	int count, version;

	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (cu_version(&version))
		return init_failed(CUDA_ERROR_INVALID_VALUE,
				   "PPU_CUDA_VERSION is not a version of CUDA: write it as 12.4");
	if (!ppu_cuda_capability_ok())
		return init_failed(CUDA_ERROR_INVALID_VALUE,
				   "PPU_CUDA_CAPABILITY is not a compute capability: write it as 8.0, from 5.0 to 9.0");
	res = ppuInit(NULL);
	if (res)
		return init_failed(cu_result(res), ppuGetLastErrorDetail());
	res = ppuDeviceGetCount(&count);
	if (res)
		return cu_result(res);
	if (!count)
		return CUDA_ERROR_NO_DEVICE;
	__atomic_store_n(&ready, true, __ATOMIC_RELEASE);
	return CUDA_SUCCESS;
}

CUresult cu_device(CUdevice device, ppuDeviceProp *prop)
{
	ppuDeviceProp unused;
	CUresult r = cu_ready();

	return r ? r : cu_result(ppuDeviceGetProperties(prop ? prop : &unused, device));
}

CUresult i_cuDeviceGetCount(int *count)
{
	CUresult r = cu_ready();

	if (r)
		return r;
	return count ? cu_result(ppuDeviceGetCount(count)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult i_cuDeviceGet(CUdevice *device, int ordinal)
{
	CUresult r = cu_ready();

	if (!r && !device)
		r = CUDA_ERROR_INVALID_VALUE;
	if (!r)
		r = cu_device(ordinal, NULL);
	if (!r)
		*device = ordinal;
	return r;
}

CUresult i_cuDeviceGetName(char *name, int len, CUdevice device)
{
	ppuDeviceProp p;
	CUresult r = cu_device(device, &p);

	if (r)
		return r;
	if (!name || len <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	snprintf(name, (size_t)len, "%s", p.name);
	return CUDA_SUCCESS;
}

/* The UUID of a place on the bus never changes: it is the location's text, spread over the 16 bytes. */
CUresult i_cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
	ppuDeviceProp p;
	CUresult r = cu_device(device, &p);

	if (r)
		return r;
	if (!uuid)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(uuid->bytes, "PPU\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	uuid->bytes[3] = (char)device;
	for (size_t i = 0; p.location[i]; i++)
		uuid->bytes[4 + i % 12] = (char)(uuid->bytes[4 + i % 12] * 31 + p.location[i]);
	return CUDA_SUCCESS;
}

CUresult i_cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
	return i_cuDeviceGetUuid(uuid, device);
}

CUresult i_cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
	ppuDeviceProp p;
	CUresult r = cu_device(device, &p);

	if (r)
		return r;
	if (!bytes)
		return CUDA_ERROR_INVALID_VALUE;
	*bytes = p.vram_bytes;
	return CUDA_SUCCESS;
}

CUresult i_cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
	CUresult r = cu_device(device, NULL);

	if (r)
		return r;
	if (!major || !minor)
		return CUDA_ERROR_INVALID_VALUE;
	*major = ppu_cuda_capability() / 10;
	*minor = ppu_cuda_capability() % 10;
	return CUDA_SUCCESS;
}

/* Reads a location "dddd:bb:dd.f".  False: the device is inside the process, where there is no bus. */
static bool pci_place(const ppuDeviceProp *p, unsigned int *domain, unsigned int *bus, unsigned int *dev)
{
	unsigned int function;

	return sscanf(p->location, "%x:%x:%x.%x", domain, bus, dev, &function) == 4;
}

static int pci_part(const ppuDeviceProp *p, CUdevice_attribute a)
{
	unsigned int domain, bus, dev;

	if (!pci_place(p, &domain, &bus, &dev))
		return 0;
	return (int)(a == CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID ? domain : a == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID ? bus : dev);
}

static int shared_default(const ppuDeviceProp *p)
{
	return (int)(p->shared_per_block < CU_SHARED_DEFAULT ? p->shared_per_block : CU_SHARED_DEFAULT);
}

/* Most texels along an axis of a texture or surface; libruntime/api/memory/texture.c checks the same limits. */
#define TEXTURE_LINE	(1 << 27)
#define TEXTURE_SIDE	65536

/* Sizes of textures and surfaces; 0 for kinds that do not exist here. */
static int texture_attribute(CUdevice_attribute a)
{
	switch (a) {
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH:
		return TEXTURE_LINE;
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT:
		return TEXTURE_SIDE;
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH:
		return TEXTURE_SIDE * 16;
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH:
		return 16384;
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS:
	case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS:
		return 2048;
	default:
		return 0;
	}
}

/* The attributes with a value other than 0. */
static int attribute(const ppuDeviceProp *p, CUdevice_attribute a)
{
	switch (a) {
	case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:		return (int)p->max_threads_per_block;
	case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:		return (int)p->max_block[0];
	case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:		return (int)p->max_block[1];
	case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:		return (int)p->max_block[2];
	case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:		return (int)p->max_grid[0];
	case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:		return (int)p->max_grid[1];
	case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:		return (int)p->max_grid[2];
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:	return shared_default(p);
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: return (int)p->shared_per_block;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: return (int)p->shared_per_sm;
	case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:		return 65536;
	case CU_DEVICE_ATTRIBUTE_WARP_SIZE:			return (int)p->warp_size;
	case CU_DEVICE_ATTRIBUTE_MAX_PITCH:			return 0x7fffffff;
	case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:	return (int)p->regs_per_sm;
	case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR: return (int)p->regs_per_sm;
	case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:			return (int)p->clock_khz;
	case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:		return (int)p->clock_khz;
	case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:	return (int)p->partitions * 64;
	case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:		return 512;
	case CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT:		return 512;
	case CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT:	return 32;
	case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP:			return 1;
	case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:		return (int)p->sms;
	case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:		return 1;
	case CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER:		return 1;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:			return CU_COMPUTEMODE_DEFAULT;
	case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:		return 1;
	case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
	case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
	case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID:			return pci_part(p, a);
	case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: return (int)p->max_threads_per_sm;
	case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:	return (int)p->ctas_per_sm;
	case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:		return (int)p->copy_engines;
	case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:		return 1;
	case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:		return ppu_cuda_capability() >= 90 && p->features & PPU_FEAT_CLUSTERS;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:	return ppu_cuda_capability() / 10;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:	return ppu_cuda_capability() % 10;
	case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:	return 1;
	case CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO:
		return p->dp_units_per_sm ? (int)(p->cores_per_sm / p->dp_units_per_sm) : 1;
	case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
	case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
	case CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST:
	case CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
	case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1:
	case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1:
	case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1:
	case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
	case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR:
	case CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
	case CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT:		return 1;
	case CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES:	return CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	case CU_DEVICE_ATTRIBUTE_NUMA_ID:
	case CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID:			return -1;
	case CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID:		return (int)(p->pci_device << 16 | p->pci_vendor);
	default:						return texture_attribute(a);
	}
}

CUresult i_cuDeviceGetAttribute(int *value, CUdevice_attribute a, CUdevice device)
{
	ppuDeviceProp p;
	CUresult r = cu_device(device, &p);

	if (r)
		return r;
	if (!value || (int)a < 1 || a >= CU_DEVICE_ATTRIBUTE_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	*value = attribute(&p, a);
	return CUDA_SUCCESS;
}

CUresult i_cuDeviceGetProperties(CUdevprop *prop, CUdevice device)
{
	ppuDeviceProp p;
	CUresult r = cu_device(device, &p);

	if (r)
		return r;
	if (!prop)
		return CUDA_ERROR_INVALID_VALUE;
	*prop = (CUdevprop){
		.maxThreadsPerBlock = (int)p.max_threads_per_block,
		.maxThreadsDim = { (int)p.max_block[0], (int)p.max_block[1], (int)p.max_block[2] },
		.maxGridSize = { (int)p.max_grid[0], (int)p.max_grid[1], (int)p.max_grid[2] },
		.sharedMemPerBlock = shared_default(&p),
		.totalConstantMemory = attribute(&p, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
		.SIMDWidth = (int)p.warp_size,
		.memPitch = attribute(&p, CU_DEVICE_ATTRIBUTE_MAX_PITCH),
		.regsPerBlock = (int)p.regs_per_sm,
		.clockRate = (int)p.clock_khz,
		.textureAlign = attribute(&p, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT),
	};
	return CUDA_SUCCESS;
}

CUresult i_cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format, unsigned int channels,
					      CUdevice device)
{
	CUresult r = cu_device(device, NULL);

	if (r)
		return r;
	if (!width || !cu_format_bytes(format) || (channels != 1 && channels != 2 && channels != 4))
		return CUDA_ERROR_INVALID_VALUE;
	*width = TEXTURE_LINE;
	return CUDA_SUCCESS;
}

CUresult i_cuDeviceGetExecAffinitySupport(int *supported, CUexecAffinityType type, CUdevice device)
{
	CUresult r = cu_device(device, NULL);

	if (r)
		return r;
	if (!supported || (unsigned int)type >= CU_EXEC_AFFINITY_TYPE_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	*supported = 0;
	return CUDA_SUCCESS;
}

CUresult i_cuDeviceGetPCIBusId(char *id, int len, CUdevice device)
{
	unsigned int domain = 0, bus = 0, dev = 0;
	ppuDeviceProp p;
	CUresult r = cu_device(device, &p);

	if (r)
		return r;
	if (!id || len <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (!pci_place(&p, &domain, &bus, &dev))
		dev = (unsigned int)device;
	snprintf(id, (size_t)len, "%04X:%02X:%02X.0", domain, bus, dev);
	return CUDA_SUCCESS;
}

/* Reads "domain:bus:device.function"; the first and the last part may be left out. */
static bool parse_place(const char *id, unsigned int place[3])
{
	unsigned int function = 0;

	if (sscanf(id, "%x:%x:%x.%x", &place[0], &place[1], &place[2], &function) >= 3)
		return true;
	place[0] = 0;
	return sscanf(id, "%x:%x.%x", &place[1], &place[2], &function) >= 2;
}

CUresult i_cuDeviceGetByPCIBusId(CUdevice *device, const char *id)
{
	unsigned int want[3], have[3];
	CUresult r = cu_ready();
	char text[32];
	int count;

	if (r)
		return r;
	if (!device || !id || !parse_place(id, want))
		return CUDA_ERROR_INVALID_VALUE;
	r = i_cuDeviceGetCount(&count);
	for (CUdevice d = 0; !r && d < count; d++) {
		r = i_cuDeviceGetPCIBusId(text, sizeof(text), d);
		if (!r && parse_place(text, have) && !memcmp(want, have, sizeof(want))) {
			*device = d;
			return CUDA_SUCCESS;
		}
	}
	return r ? r : CUDA_ERROR_INVALID_DEVICE;
}

CUresult i_cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
	CUresult r = cu_device(device, NULL);

	if (!r)
		r = cu_device(peer, NULL);
	if (!r && !can)
		r = CUDA_ERROR_INVALID_VALUE;
	return r ? r : cu_result(ppuDeviceCanAccessPeer(can, device, peer));
}

CUresult i_cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute a, CUdevice source, CUdevice destination)
{
	CUresult r;

	if (a < CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK || a > CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED)
		return CUDA_ERROR_INVALID_VALUE;
	if (source == destination)
		return CUDA_ERROR_INVALID_DEVICE;
	r = i_cuDeviceCanAccessPeer(value, source, destination);
	/* All pairs are alike; atomics of one device are none for another one; arrays belong to their device. */
	if (!r && a != CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED)
		*value = 0;
	return r;
}
