// CUDA graphs by typestate: GraphCapture -> Graph -> GraphExec. What is not instantiated cannot be launched.
//
//   GraphCapture capture(stream);          // thread-local mode: other threads may work
//   launch_things(stream);                 // recorded, not run; device allocation throws before the driver sees it
//   const GraphExec exec(capture.finish());
//   exec.launch(stream);
#pragma once

#include <cstddef>
#include <memory>

#include "harness/core/cuda/memory.hpp"
#include "harness/core/cuda/stream.hpp"

struct CUgraph_st;
struct CUgraphExec_st;

namespace gonogo::core {

/// A recorded graph. Move-only.
class Graph {
 public:
  explicit Graph(CUgraph_st* handle);  // takes ownership; throws LogicError on null
  [[nodiscard]] CUgraph_st* get() const noexcept { return handle_.get(); }
  [[nodiscard]] std::size_t node_count() const;

 private:
  struct Destroy {
    void operator()(CUgraph_st* handle) const noexcept;
  };
  std::unique_ptr<CUgraph_st, Destroy> handle_;
};

/// Records what this thread puts into `stream` from construction to finish(). Immovable: the scope is the recording.
/// However the scope is left, the capture ends and the stream is usable again.
class GraphCapture {
 public:
  /// Throws LogicError when the stream is already capturing.
  explicit GraphCapture(StreamRef stream);
  ~GraphCapture();
  GraphCapture(const GraphCapture&) = delete;
  GraphCapture& operator=(const GraphCapture&) = delete;

  /// Ends the capture. Once only. Throws when a call in between spoiled it; the stream is usable even then.
  [[nodiscard]] Graph finish();

 private:
  StreamRef stream_;
  ForbidDeviceAllocation forbid_;
  bool recording_ = false;
};

/// An executable graph on the current device. Move-only.
class GraphExec {
 public:
  /// Throws EnvironmentError when the device is out of memory.
  explicit GraphExec(const Graph& graph);
  /// Moves what the first launch would set up (uploads) to now.
  void upload(StreamRef stream) const;
  void launch(StreamRef stream) const;
  /// Nodes of the graph it was made from.
  [[nodiscard]] std::size_t node_count() const noexcept { return node_count_; }

 private:
  struct Destroy {
    void operator()(CUgraphExec_st* handle) const noexcept;
  };
  std::unique_ptr<CUgraphExec_st, Destroy> handle_;
  std::size_t node_count_ = 0;
};

}  // namespace gonogo::core
