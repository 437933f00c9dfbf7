/* SPDX-License-Identifier: MIT */
/* Lists the devices. Opens the library at run time and finds all calls with cuGetProcAddress. */
#include <dlfcn.h>
#include <stdio.h>
#define PPU_CUDA_NO_NAMES
#include <cuda.h>

static CUresult (*get)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);

static int find(const char *name, void *call)
{
	return get(name, call, CUDA_VERSION, 0, NULL);
}

int main(void)
{
	CUresult (*init)(unsigned int), (*count_of)(int *), (*name_of)(char *, int, CUdevice);
	CUresult (*attribute)(int *, CUdevice_attribute, CUdevice), (*memory)(size_t *, CUdevice);
	void *lib = dlopen("libcuda.so.1", RTLD_NOW);
	int count, major, minor, sms;
	char name[100];
	size_t bytes;

	if (!lib) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	get = (CUresult (*)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *))
	      dlsym(lib, "cuGetProcAddress_v2");
	if (!get || find("cuInit", &init) || find("cuDeviceGetCount", &count_of) || find("cuDeviceGetName", &name_of) ||
	    find("cuDeviceGetAttribute", &attribute) || find("cuDeviceTotalMem", &memory) || init(0) || count_of(&count))
		return 1;
	for (int d = 0; d < count; d++) {
		if (name_of(name, sizeof(name), d) || memory(&bytes, d) ||
		    attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d) ||
		    attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, d) ||
		    attribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, d))
			return 1;
		printf("device %d: %s, compute capability %d.%d, %d SMs, %zu MiB\n", d, name, major, minor, sms, bytes >> 20);
	}
	return count < 1;
}
