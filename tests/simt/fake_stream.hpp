// Inside of the fake runtime's streams and graphs: work runs at once, or is recorded while its stream captures.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <vector>

struct CUstream_st {
  bool capturing = false;
  bool spoiled = false;
  std::vector<std::function<void()>> recorded;
};
struct CUgraph_st {
  std::vector<std::function<void()>> work;
};
struct CUgraphExec_st {
  std::vector<std::function<void()>> work;
};

namespace gonogo::simt {
cudaError_t enqueue(CUstream_st* stream, std::function<void()> work);
}
