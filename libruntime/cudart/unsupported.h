/* SPDX-License-Identifier: MIT */
/* Functions of the Runtime API that a program may link, but that a PPU does not have.  They return
 * cudaErrorNotSupported, whatever their arguments are. */
#ifndef PPU_CUDART_UNSUPPORTED_H
#define PPU_CUDART_UNSUPPORTED_H

#define CUDART_UNSUPPORTED(U) \
U(cudaArrayGetMemoryRequirements) U(cudaArrayGetPlane) U(cudaArrayGetSparseProperties) U(cudaDestroyExternalMemory) \
U(cudaDestroyExternalSemaphore) U(cudaDeviceFlushGPUDirectRDMAWrites) U(cudaDeviceGetHostAtomicCapabilities) \
U(cudaDeviceGetNvSciSyncAttributes) U(cudaDeviceGetP2PAtomicCapabilities) U(cudaDeviceGetTexture1DLinearMaxWidth) \
U(cudaDeviceRegisterAsyncNotification) U(cudaDeviceUnregisterAsyncNotification) U(cudaEGLStreamConsumerAcquireFrame) \
U(cudaEGLStreamConsumerConnect) U(cudaEGLStreamConsumerConnectWithFlags) U(cudaEGLStreamConsumerDisconnect) \
U(cudaEGLStreamConsumerReleaseFrame) U(cudaEGLStreamProducerConnect) U(cudaEGLStreamProducerDisconnect) \
U(cudaEGLStreamProducerPresentFrame) U(cudaEGLStreamProducerReturnFrame) U(cudaEventCreateFromEGLSync) \
U(cudaExternalMemoryGetMappedBuffer) U(cudaExternalMemoryGetMappedMipmappedArray) \
U(cudaGLGetDevices) U(cudaGLMapBufferObject) U(cudaGLMapBufferObjectAsync) U(cudaGLRegisterBufferObject) \
U(cudaGLSetBufferObjectMapFlags) U(cudaGLSetGLDevice) U(cudaGLUnmapBufferObject) U(cudaGLUnmapBufferObjectAsync) \
U(cudaGLUnregisterBufferObject) U(cudaGetExportTable) \
U(cudaGetTextureObjectResourceViewDesc) U(cudaGraphAddExternalSemaphoresSignalNode) \
U(cudaGraphAddExternalSemaphoresWaitNode) \
U(cudaGraphExecExternalSemaphoresSignalNodeSetParams) U(cudaGraphExecExternalSemaphoresWaitNodeSetParams) \
U(cudaGraphExternalSemaphoresSignalNodeGetParams) U(cudaGraphExternalSemaphoresSignalNodeSetParams) \
U(cudaGraphExternalSemaphoresWaitNodeGetParams) U(cudaGraphExternalSemaphoresWaitNodeSetParams) \
U(cudaGraphicsEGLRegisterImage) U(cudaGraphicsGLRegisterBuffer) U(cudaGraphicsGLRegisterImage) \
U(cudaGraphicsMapResources) U(cudaGraphicsResourceGetMappedEglFrame) U(cudaGraphicsResourceGetMappedMipmappedArray) \
U(cudaGraphicsResourceGetMappedPointer) U(cudaGraphicsResourceSetMapFlags) U(cudaGraphicsSubResourceGetMappedArray) \
U(cudaGraphicsUnmapResources) U(cudaGraphicsUnregisterResource) U(cudaGraphicsVDPAURegisterOutputSurface) \
U(cudaGraphicsVDPAURegisterVideoSurface) U(cudaImportExternalMemory) U(cudaImportExternalSemaphore) \
U(cudaKernelSetAttributeForDevice) U(cudaLibraryEnumerateKernels) U(cudaLibraryGetGlobal) \
U(cudaLibraryGetKernel) U(cudaLibraryGetKernelCount) U(cudaLibraryGetManaged) U(cudaLibraryGetUnifiedFunction) \
U(cudaLibraryLoadData) U(cudaLibraryLoadFromFile) U(cudaLibraryUnload) U(cudaLogsCurrent) U(cudaLogsDumpToFile) \
U(cudaLogsDumpToMemory) U(cudaLogsRegisterCallback) U(cudaLogsUnregisterCallback) \
U(cudaMemDiscardAndPrefetchBatchAsync) U(cudaMemDiscardAndPrefetchBatchAsync_ptsz) U(cudaMemDiscardBatchAsync) \
U(cudaMemDiscardBatchAsync_ptsz) U(cudaMemGetDefaultMemPool) U(cudaMemGetMemPool) \
U(cudaMemPrefetchBatchAsync) U(cudaMemPrefetchBatchAsync_ptsz) U(cudaMemSetMemPool) U(cudaMemcpy3DBatchAsync) \
U(cudaMemcpy3DBatchAsync_ptsz) U(cudaMemcpyBatchAsync) U(cudaMemcpyBatchAsync_ptsz) \
U(cudaMipmappedArrayGetMemoryRequirements) U(cudaMipmappedArrayGetSparseProperties) \
U(cudaSignalExternalSemaphoresAsync) \
U(cudaSignalExternalSemaphoresAsync_ptsz) U(cudaVDPAUGetDevice) U(cudaVDPAUSetVDPAUDevice) \
U(cudaWaitExternalSemaphoresAsync) U(cudaWaitExternalSemaphoresAsync_ptsz) U(cudaLaunchCooperativeKernelMultiDevice)

#endif
