/* SPDX-License-Identifier: MIT */
/* Functions of the Driver API that a program may link or look up, but that a PPU does not have.  They return
 * CUDA_ERROR_NOT_SUPPORTED, whatever their arguments are. */
#ifndef PPU_CU_UNSUPPORTED_H
#define PPU_CU_UNSUPPORTED_H

#define CU_UNSUPPORTED(U) \
/* other processes */ \
U(cuMemGetHandleForAddressRange) \
/* other devices and libraries */ \
U(cuLaunchCooperativeKernelMultiDevice) U(cuImportExternalMemory) U(cuExternalMemoryGetMappedBuffer) \
U(cuExternalMemoryGetMappedMipmappedArray) U(cuDestroyExternalMemory) U(cuImportExternalSemaphore) \
U(cuSignalExternalSemaphoresAsync) U(cuSignalExternalSemaphoresAsync_ptsz) U(cuWaitExternalSemaphoresAsync) \
U(cuWaitExternalSemaphoresAsync_ptsz) U(cuDestroyExternalSemaphore) U(cuGraphAddExternalSemaphoresSignalNode) \
U(cuGraphAddExternalSemaphoresWaitNode) U(cuGraphExternalSemaphoresSignalNodeGetParams) \
U(cuGraphExternalSemaphoresSignalNodeSetParams) U(cuGraphExternalSemaphoresWaitNodeGetParams) \
U(cuGraphExternalSemaphoresWaitNodeSetParams) U(cuGraphExecExternalSemaphoresSignalNodeSetParams) \
U(cuGraphExecExternalSemaphoresWaitNodeSetParams) U(cuFlushGPUDirectRDMAWrites) U(cuDeviceGetNvSciSyncAttributes) \
U(cuDeviceGetLuid) U(cuMulticastCreate) U(cuMulticastAddDevice) U(cuMulticastBindMem) U(cuMulticastBindAddr) \
U(cuMulticastUnbind) U(cuMulticastGetGranularity) U(cuDeviceRegisterAsyncNotification) \
U(cuDeviceUnregisterAsyncNotification) U(cuDeviceGetHostAtomicCapabilities) U(cuDeviceGetP2PAtomicCapabilities) \
/* many pieces of memory at once */ \
U(cuMemPrefetchBatchAsync) U(cuMemPrefetchBatchAsync_ptsz) U(cuMemDiscardBatchAsync) U(cuMemDiscardBatchAsync_ptsz) \
U(cuMemDiscardAndPrefetchBatchAsync) U(cuMemDiscardAndPrefetchBatchAsync_ptsz) \
/* the driver's log */ \
U(cuLogsRegisterCallback) U(cuLogsUnregisterCallback) U(cuLogsCurrent) U(cuLogsDumpToFile) U(cuLogsDumpToMemory) \
/* graphics */ \
U(cuGraphicsUnregisterResource) U(cuGraphicsMapResources) U(cuGraphicsMapResources_ptsz) \
U(cuGraphicsUnmapResources) U(cuGraphicsUnmapResources_ptsz) U(cuGraphicsResourceGetMappedPointer) \
U(cuGraphicsResourceGetMappedPointer_v2) U(cuGraphicsResourceGetMappedMipmappedArray) \
U(cuGraphicsResourceSetMapFlags) U(cuGraphicsResourceSetMapFlags_v2) U(cuGraphicsSubResourceGetMappedArray) \
U(cuGraphicsGLRegisterBuffer) U(cuGraphicsGLRegisterImage) U(cuGLGetDevices) U(cuGLGetDevices_v2) U(cuGLCtxCreate) \
U(cuGLCtxCreate_v2) U(cuGLInit) U(cuGLRegisterBufferObject) U(cuGLUnregisterBufferObject) U(cuGLMapBufferObject) \
U(cuGLMapBufferObject_v2) U(cuGLMapBufferObjectAsync) U(cuGLMapBufferObjectAsync_v2) U(cuGLUnmapBufferObject) \
U(cuGLUnmapBufferObjectAsync) U(cuGLSetBufferObjectMapFlags) U(cuGraphicsEGLRegisterImage) \
U(cuGraphicsResourceGetMappedEglFrame) U(cuVDPAUGetDevice) U(cuVDPAUCtxCreate) U(cuVDPAUCtxCreate_v2) \
U(cuGraphicsVDPAURegisterVideoSurface) U(cuGraphicsVDPAURegisterOutputSurface) \
/* sparse arrays */ \
U(cuArrayGetPlane) \
U(cuMipmappedArrayGetSparseProperties) U(cuArrayGetSparseProperties) U(cuArrayGetMemoryRequirements) \
U(cuMipmappedArrayGetMemoryRequirements) U(cuMemMapArrayAsync) U(cuMemMapArrayAsync_ptsz) \
/* tensor maps, parts of a device */ \
U(cuTensorMapEncodeIm2colWide) U(cuCtxGetExecAffinity) \
U(cuGreenCtxCreate) U(cuGreenCtxDestroy) U(cuCtxFromGreenCtx) U(cuDeviceGetDevResource) U(cuCtxGetDevResource) \
U(cuGreenCtxGetDevResource) U(cuDevSmResourceSplitByCount) U(cuDevResourceGenerateDesc) U(cuGreenCtxRecordEvent) \
U(cuGreenCtxWaitEvent) U(cuGreenCtxStreamCreate) U(cuStreamGetGreenCtx) U(cuCtxRecordEvent) U(cuCtxWaitEvent) \
/* the rest */ \
U(cuLibraryGetUnifiedFunction) U(cuMemcpyBatchAsync) U(cuMemcpyBatchAsync_ptsz) \
U(cuMemcpy3DBatchAsync) U(cuMemcpy3DBatchAsync_ptsz) U(cuMemBatchDecompressAsync) \
U(cuMemBatchDecompressAsync_ptsz) U(cuCoredumpGetAttribute) U(cuCoredumpSetAttribute) \
U(cuCoredumpGetAttributeGlobal) U(cuCoredumpSetAttributeGlobal) U(cuCheckpointProcessGetRestoreThreadId) \
U(cuCheckpointProcessGetState) U(cuCheckpointProcessLock) U(cuCheckpointProcessCheckpoint) \
U(cuCheckpointProcessRestore) U(cuCheckpointProcessUnlock)

#endif
