/* SPDX-License-Identifier: MIT */
/* Functions of the Driver API that a program may link or ask for and that a PPU does not do: they return
 * CUDA_ERROR_NOT_SUPPORTED.  Their arguments are not looked at. */
#ifndef PPU_CU_UNSUPPORTED_H
#define PPU_CU_UNSUPPORTED_H

#define CU_UNSUPPORTED(U) \
U(cuCtxAttach) U(cuCtxDetach) U(cuCtxResetPersistingL2Cache) U(cuCtxGetExecAffinity) U(cuCtxSetFlags) \
U(cuDeviceGetLuid) U(cuDeviceGetExecAffinitySupport) U(cuDeviceGetTexture1DLinearMaxWidth) \
U(cuDeviceGetNvSciSyncAttributes) U(cuFlushGPUDirectRDMAWrites) U(cuGetExportTable) \
U(cuLaunchCooperativeKernel) U(cuLaunchCooperativeKernel_ptsz) U(cuLaunchCooperativeKernelMultiDevice) \
U(cuFuncSetBlockShape) U(cuFuncSetSharedSize) U(cuParamSetSize) U(cuParamSeti) U(cuParamSetf) U(cuParamSetv) \
U(cuParamSetTexRef) U(cuLaunch) U(cuLaunchGrid) U(cuLaunchGridAsync) \
U(cuModuleGetTexRef) U(cuModuleGetSurfRef) U(cuTexRefCreate) U(cuTexRefDestroy) U(cuTexRefSetArray) \
U(cuTexRefSetAddress_v2) U(cuTexRefSetAddress2D_v3) U(cuTexRefSetFormat) U(cuTexRefSetAddressMode) \
U(cuTexRefSetFilterMode) U(cuTexRefSetFlags) U(cuTexRefGetAddress_v2) U(cuTexRefGetArray) \
U(cuTexRefGetAddressMode) U(cuTexRefGetFilterMode) U(cuTexRefGetFormat) U(cuTexRefGetFlags) \
U(cuTexObjectCreate) U(cuTexObjectDestroy) U(cuTexObjectGetResourceDesc) U(cuTexObjectGetTextureDesc) \
U(cuTexObjectGetResourceViewDesc) U(cuSurfObjectCreate) U(cuSurfObjectDestroy) U(cuSurfObjectGetResourceDesc) \
U(cuSurfRefSetArray) U(cuSurfRefGetArray) \
U(cuMipmappedArrayCreate) U(cuMipmappedArrayGetLevel) U(cuMipmappedArrayDestroy) U(cuArrayGetPlane) \
U(cuMemAllocManaged) U(cuMemAdvise) U(cuMemPrefetchAsync) U(cuMemRangeGetAttribute) U(cuMemRangeGetAttributes) \
U(cuStreamAttachMemAsync) U(cuMemcpy3DPeer) U(cuMemcpy3DPeerAsync) \
U(cuMemAllocAsync) U(cuMemFreeAsync) U(cuMemAllocFromPoolAsync) U(cuMemPoolCreate) U(cuMemPoolDestroy) \
U(cuMemPoolTrimTo) U(cuMemPoolSetAttribute) U(cuMemPoolGetAttribute) U(cuMemPoolSetAccess) U(cuMemPoolGetAccess) \
U(cuDeviceGetDefaultMemPool) U(cuDeviceGetMemPool) U(cuDeviceSetMemPool) \
U(cuMemAddressReserve) U(cuMemAddressFree) U(cuMemCreate) U(cuMemRelease) U(cuMemMap) U(cuMemUnmap) \
U(cuMemSetAccess) U(cuMemGetAccess) U(cuMemGetAllocationGranularity) U(cuMemGetAllocationPropertiesFromHandle) \
U(cuMemRetainAllocationHandle) U(cuMemExportToShareableHandle) U(cuMemImportFromShareableHandle) \
U(cuIpcGetEventHandle) U(cuIpcOpenEventHandle) U(cuIpcGetMemHandle) U(cuIpcOpenMemHandle_v2) U(cuIpcCloseMemHandle) \
U(cuStreamBeginCapture_v2) U(cuStreamBeginCapture_v2_ptsz) U(cuStreamEndCapture) U(cuStreamEndCapture_ptsz) \
U(cuStreamGetCaptureInfo_v2) U(cuStreamGetCaptureInfo_v2_ptsz) U(cuThreadExchangeStreamCaptureMode) \
U(cuStreamWaitValue32_v2) U(cuStreamWriteValue32_v2) U(cuStreamWaitValue64_v2) U(cuStreamWriteValue64_v2) \
U(cuStreamBatchMemOp_v2) U(cuStreamCopyAttributes) U(cuStreamGetAttribute) U(cuStreamSetAttribute) \
U(cuStreamUpdateCaptureDependencies) \
U(cuGraphCreate) U(cuGraphDestroy) U(cuGraphAddKernelNode_v2) U(cuGraphAddMemcpyNode) U(cuGraphAddMemsetNode) \
U(cuGraphAddHostNode) U(cuGraphAddEmptyNode) U(cuGraphAddChildGraphNode) U(cuGraphAddDependencies) \
U(cuGraphInstantiateWithFlags) U(cuGraphInstantiate_v2) U(cuGraphLaunch) U(cuGraphLaunch_ptsz) U(cuGraphUpload) \
U(cuGraphExecDestroy) U(cuGraphExecUpdate_v2) U(cuGraphExecKernelNodeSetParams_v2) U(cuGraphGetNodes) \
U(cuGraphExecMemcpyNodeSetParams) U(cuGraphClone) U(cuGraphKernelNodeGetParams_v2) U(cuGraphDebugDotPrint) \
U(cuLibraryLoadData) U(cuLibraryLoadFromFile) U(cuLibraryUnload) U(cuLibraryGetKernel) U(cuLibraryGetModule) \
U(cuLibraryGetGlobal) U(cuLibraryGetManaged) U(cuKernelGetFunction) U(cuKernelGetAttribute) U(cuKernelSetAttribute) \
U(cuKernelSetCacheConfig) U(cuKernelGetName) \
U(cuOccupancyMaxActiveClusters) U(cuOccupancyMaxPotentialClusterSize) U(cuTensorMapEncodeTiled) \
U(cuImportExternalMemory) U(cuExternalMemoryGetMappedBuffer) U(cuDestroyExternalMemory) \
U(cuImportExternalSemaphore) U(cuSignalExternalSemaphoresAsync) U(cuWaitExternalSemaphoresAsync) \
U(cuDestroyExternalSemaphore) U(cuGraphicsUnregisterResource) U(cuGraphicsMapResources) U(cuGraphicsUnmapResources) \
U(cuGraphicsResourceGetMappedPointer_v2) U(cuGraphicsSubResourceGetMappedArray)

#endif
