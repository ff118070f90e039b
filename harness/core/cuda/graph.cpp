#include "harness/core/cuda/graph.hpp"

#include "harness/core/cuda/check.hpp"
#include "harness/core/error.hpp"

namespace gonogo::core {

Graph::Graph(CUgraph_st* handle) : handle_(handle) { GONOGO_EXPECT(handle != nullptr, "a recorded graph"); }

std::size_t Graph::node_count() const {
  std::size_t count = 0;
  GONOGO_CUDA(cudaGraphGetNodes(handle_.get(), nullptr, &count));
  return count;
}

void Graph::Destroy::operator()(CUgraph_st* handle) const noexcept { GONOGO_CUDA_NOTHROW(cudaGraphDestroy(handle)); }

GraphCapture::GraphCapture(StreamRef stream) : stream_(stream) {
  GONOGO_EXPECT(!stream.capturing(), "a stream that is not capturing");
  GONOGO_CUDA(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  recording_ = true;
}

GraphCapture::~GraphCapture() {
  if (!recording_) return;
  cudaGraph_t abandoned = nullptr;
  const cudaError_t status = cudaStreamEndCapture(stream_.get(), &abandoned);
  // A capture that was spoiled on the way says so here; whoever spoiled it has already thrown.
  static_cast<void>(cudaGetLastError());
  if (status == cudaSuccess && abandoned != nullptr) GONOGO_CUDA_NOTHROW(cudaGraphDestroy(abandoned));
}

Graph GraphCapture::finish() {
  GONOGO_EXPECT(recording_, "finish() once, while recording");
  recording_ = false;
  cudaGraph_t recorded = nullptr;
  GONOGO_CUDA(cudaStreamEndCapture(stream_.get(), &recorded));
  return Graph(recorded);
}

GraphExec::GraphExec(const Graph& graph) : node_count_(graph.node_count()) {
  cudaGraphExec_t handle = nullptr;
  GONOGO_CUDA(cudaGraphInstantiate(&handle, graph.get(), 0));
  handle_.reset(handle);
}

void GraphExec::upload(StreamRef stream) const { GONOGO_CUDA(cudaGraphUpload(handle_.get(), stream.get())); }
void GraphExec::launch(StreamRef stream) const { GONOGO_CUDA(cudaGraphLaunch(handle_.get(), stream.get())); }

void GraphExec::Destroy::operator()(CUgraphExec_st* handle) const noexcept {
  GONOGO_CUDA_NOTHROW(cudaGraphExecDestroy(handle));
}

}  // namespace gonogo::core
