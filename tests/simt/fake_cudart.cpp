// The CUDA runtime's functions that this project calls, over host memory: the emulated tests link this instead of
// cudart. Rules that matter are kept: allocation in a capture fails and spoils it, memory runs out, unrecorded events
// have no time.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "tests/simt/fake_stream.hpp"
#include "harness/core/cuda/simt.hpp"

struct CUevent_st {
  bool recorded = false;
  std::chrono::steady_clock::time_point at;
};

namespace gonogo::simt {
namespace {
std::map<void*, std::size_t> blocks;
std::set<CUstream_st*> streams;
cudaError_t last = cudaSuccess;

cudaError_t note(cudaError_t status) {
  if (status != cudaSuccess) last = status;
  return status;
}

/// An unsafe call while any stream captures: refused, and the capture is lost.
bool spoil_captures() {
  bool any = false;
  for (CUstream_st* stream : streams)
    if (stream->capturing) stream->spoiled = any = true;
  return any;
}

cudaError_t allocate(void** to, std::size_t bytes) {
  FakeDevice& device = fake_device();
  if (device.used_bytes + bytes > device.memory_bytes) return note(cudaErrorMemoryAllocation);
  *to = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(*to, 0xff, bytes);
  blocks[*to] = bytes;
  device.used_bytes += bytes;
  return cudaSuccess;
}

cudaError_t release(void* data) {
  if (data == nullptr) return cudaSuccess;
  const auto found = blocks.find(data);
  if (found == blocks.end()) return note(cudaErrorInvalidValue);
  fake_device().used_bytes -= found->second;
  blocks.erase(found);
  std::free(data);
  return cudaSuccess;
}
}  // namespace

FakeDevice& fake_device() {
  static FakeDevice device;
  return device;
}

cudaError_t enqueue(CUstream_st* stream, std::function<void()> work) {
  if (streams.count(stream) == 0) return note(cudaErrorInvalidResourceHandle);
  if (stream->capturing) {
    if (stream->spoiled) return note(cudaErrorStreamCaptureInvalidated);
    stream->recorded.push_back(std::move(work));
  } else {
    work();
  }
  return cudaSuccess;
}
}  // namespace gonogo::simt

using namespace gonogo::simt;

extern "C" {
cudaError_t cudaGetLastError() { return std::exchange(last, cudaSuccess); }
const char* cudaGetErrorName(cudaError_t status) {
  switch (status) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorStreamCaptureInvalidated:
      return "cudaErrorStreamCaptureInvalidated";
    case cudaErrorStreamCaptureUnsupported:
      return "cudaErrorStreamCaptureUnsupported";
    default:
      return "cudaError";
  }
}
const char* cudaGetErrorString(cudaError_t) { return "said by the fake runtime"; }

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total) {
  *total = fake_device().memory_bytes;
  *free_bytes = *total - fake_device().used_bytes;
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** to, std::size_t bytes) {
  return spoil_captures() ? note(cudaErrorStreamCaptureUnsupported) : allocate(to, bytes);
}
cudaError_t cudaMallocAsync(void** to, std::size_t bytes, cudaStream_t) { return allocate(to, bytes); }
cudaError_t cudaFree(void* data) { return spoil_captures() ? note(cudaErrorStreamCaptureUnsupported) : release(data); }
cudaError_t cudaFreeAsync(void* data, cudaStream_t) { return release(data); }
cudaError_t cudaHostAlloc(void** to, std::size_t bytes, unsigned) { return allocate(to, bytes); }
cudaError_t cudaFreeHost(void* data) { return release(data); }
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  return enqueue(stream, [=] { std::memcpy(to, from, bytes); });
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return enqueue(stream, [=] { std::memset(to, value, bytes); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* to, unsigned) {
  *to = new CUstream_st;
  streams.insert(*to);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  streams.erase(stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (!stream->capturing) return cudaSuccess;
  stream->spoiled = true;
  return note(cudaErrorStreamCaptureUnsupported);
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* to) {
  *to = !stream->capturing ? cudaStreamCaptureStatusNone
        : stream->spoiled  ? cudaStreamCaptureStatusInvalidated
                           : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (stream->capturing) return note(cudaErrorIllegalState);
  stream->capturing = true;
  stream->spoiled = false;
  stream->recorded.clear();
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* to) {
  if (!stream->capturing) return note(cudaErrorIllegalState);
  stream->capturing = false;
  *to = nullptr;
  if (stream->spoiled) return note(cudaErrorStreamCaptureInvalidated);
  *to = new CUgraph_st{std::move(stream->recorded)};
  stream->recorded.clear();
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t*, std::size_t* count) {
  *count = graph->work.size();
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* to, cudaGraph_t graph, unsigned long long) {
  *to = new CUgraphExec_st{graph->work};
  return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  for (const auto& work : exec->work)
    if (const cudaError_t status = enqueue(stream, work); status != cudaSuccess) return status;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  delete exec;
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* to, unsigned) {
  *to = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event->recorded = true;
  event->at = std::chrono::steady_clock::now();
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t begin, cudaEvent_t end) {
  if (!begin->recorded || !end->recorded) return note(cudaErrorInvalidResourceHandle);
  *ms = std::chrono::duration<float, std::milli>(end->at - begin->at).count();
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = fake_device().count;
  if (fake_device().driver_version == 0) return note(cudaErrorInsufficientDriver);
  return *count == 0 ? note(cudaErrorNoDevice) : cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = fake_device().driver_version;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* ordinal) {
  *ordinal = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int ordinal) { return ordinal == 0 ? cudaSuccess : note(cudaErrorInvalidDevice); }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* to, int) {
  *to = {};
  std::strcpy(to->name, "host emulation");
  for (int i = 0; i < 16; ++i) to->uuid.bytes[i] = static_cast<char>(i);
  to->major = fake_device().sm / 10;
  to->minor = fake_device().sm % 10;
  to->multiProcessorCount = 132;
  to->maxThreadsPerMultiProcessor = 2048;
  to->totalGlobalMem = fake_device().memory_bytes;
  to->sharedMemPerBlockOptin = 227 * 1024;
  to->l2CacheSize = 60 << 20;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* to, int length, int) {
  std::strncpy(to, "0000:00:00.0", static_cast<std::size_t>(length));
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 1;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }
}
