/* SPDX-License-Identifier: MIT */
/* What both forms of NVTX have: types, constants, and the list of functions. */
#ifndef PPU_NVTX_BITS_H
#define PPU_NVTX_BITS_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION			3
#define NVTX_SUCCESS			0
#define NVTX_NO_PUSH_POP_TRACKING	(-2)

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN, NVTX_COLOR_ARGB } nvtxColorType_t;
typedef enum nvtxMessageType_t {
	NVTX_MESSAGE_UNKNOWN, NVTX_MESSAGE_TYPE_ASCII, NVTX_MESSAGE_TYPE_UNICODE, NVTX_MESSAGE_TYPE_REGISTERED,
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
	NVTX_PAYLOAD_UNKNOWN, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64, NVTX_PAYLOAD_TYPE_INT64, NVTX_PAYLOAD_TYPE_DOUBLE,
	NVTX_PAYLOAD_TYPE_UNSIGNED_INT32, NVTX_PAYLOAD_TYPE_INT32, NVTX_PAYLOAD_TYPE_FLOAT,
} nvtxPayloadType_t;

typedef union nvtxMessageValue_t {
	const char *ascii;
	const wchar_t *unicode;
	nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef struct nvtxEventAttributes_v2 {
	uint16_t version, size;
	uint32_t category;
	int32_t colorType;
	uint32_t color;
	int32_t payloadType, reserved0;
	union {
		uint64_t ullValue;
		int64_t llValue;
		double dValue;
		uint32_t uiValue;
		int32_t iValue;
		float fValue;
	} payload;
	int32_t messageType;
	nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef struct nvtxEventAttributes_v2 nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE	((uint16_t)sizeof(nvtxEventAttributes_t))

/* C(type, name, parameters, arguments, what it gives without a tool), V(name, parameters, arguments) */
#define PPU_NVTX_CALLS(C, V) \
V(nvtxInitialize, (const void *reserved), (reserved)) \
V(nvtxMarkA, (const char *message), (message)) \
V(nvtxMarkW, (const wchar_t *message), (message)) \
V(nvtxMarkEx, (const nvtxEventAttributes_t *event), (event)) \
C(nvtxRangeId_t, nvtxRangeStartA, (const char *message), (message), 0) \
C(nvtxRangeId_t, nvtxRangeStartW, (const wchar_t *message), (message), 0) \
C(nvtxRangeId_t, nvtxRangeStartEx, (const nvtxEventAttributes_t *event), (event), 0) \
V(nvtxRangeEnd, (nvtxRangeId_t id), (id)) \
C(int, nvtxRangePushA, (const char *message), (message), NVTX_NO_PUSH_POP_TRACKING) \
C(int, nvtxRangePushW, (const wchar_t *message), (message), NVTX_NO_PUSH_POP_TRACKING) \
C(int, nvtxRangePushEx, (const nvtxEventAttributes_t *event), (event), NVTX_NO_PUSH_POP_TRACKING) \
C(int, nvtxRangePop, (void), (), NVTX_NO_PUSH_POP_TRACKING) \
V(nvtxNameCategoryA, (uint32_t category, const char *name), (category, name)) \
V(nvtxNameCategoryW, (uint32_t category, const wchar_t *name), (category, name)) \
V(nvtxNameOsThreadA, (uint32_t thread, const char *name), (thread, name)) \
V(nvtxNameOsThreadW, (uint32_t thread, const wchar_t *name), (thread, name)) \
C(nvtxDomainHandle_t, nvtxDomainCreateA, (const char *name), (name), NULL) \
C(nvtxDomainHandle_t, nvtxDomainCreateW, (const wchar_t *name), (name), NULL) \
V(nvtxDomainDestroy, (nvtxDomainHandle_t domain), (domain)) \
V(nvtxDomainMarkEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event), (domain, event)) \
C(nvtxRangeId_t, nvtxDomainRangeStartEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event), (domain, event), 0) \
V(nvtxDomainRangeEnd, (nvtxDomainHandle_t domain, nvtxRangeId_t id), (domain, id)) \
C(int, nvtxDomainRangePushEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event), (domain, event), \
  NVTX_NO_PUSH_POP_TRACKING) \
C(int, nvtxDomainRangePop, (nvtxDomainHandle_t domain), (domain), NVTX_NO_PUSH_POP_TRACKING) \
V(nvtxDomainNameCategoryA, (nvtxDomainHandle_t domain, uint32_t category, const char *name), (domain, category, name)) \
V(nvtxDomainNameCategoryW, (nvtxDomainHandle_t domain, uint32_t category, const wchar_t *name), (domain, category, name)) \
C(nvtxStringHandle_t, nvtxDomainRegisterStringA, (nvtxDomainHandle_t domain, const char *text), (domain, text), NULL) \
C(nvtxStringHandle_t, nvtxDomainRegisterStringW, (nvtxDomainHandle_t domain, const wchar_t *text), (domain, text), NULL)

/* Names without a letter are those of char, or of wchar_t in programs that want it. */
#ifdef UNICODE
#define nvtxMark			nvtxMarkW
#define nvtxRangeStart			nvtxRangeStartW
#define nvtxRangePush			nvtxRangePushW
#define nvtxNameCategory		nvtxNameCategoryW
#define nvtxNameOsThread		nvtxNameOsThreadW
#define nvtxDomainCreate		nvtxDomainCreateW
#define nvtxDomainRegisterString	nvtxDomainRegisterStringW
#define nvtxDomainNameCategory		nvtxDomainNameCategoryW
#else
#define nvtxMark			nvtxMarkA
#define nvtxRangeStart			nvtxRangeStartA
#define nvtxRangePush			nvtxRangePushA
#define nvtxNameCategory		nvtxNameCategoryA
#define nvtxNameOsThread		nvtxNameOsThreadA
#define nvtxDomainCreate		nvtxDomainCreateA
#define nvtxDomainRegisterString	nvtxDomainRegisterStringA
#define nvtxDomainNameCategory		nvtxDomainNameCategoryA
#endif

#endif
