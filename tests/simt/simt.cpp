#include "harness/core/cuda/simt.hpp"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include <ucontext.h>

#include "tests/simt/fake_stream.hpp"

namespace gonogo::simt {
namespace {

constexpr std::size_t kStackBytes = std::size_t{128} * 1024;

struct Barrier {
  unsigned arrived = 0;
  unsigned generation = 0;
};

struct Fiber {
  std::unique_ptr<std::byte[]> stack{new std::byte[kStackBytes]};
  ucontext_t entry{};
  std::jmp_buf state{};
  Indices indices;
  bool started = false;
  bool finished = false;
};

struct Warp {
  Barrier barrier;
  Slot slots[2][32];
};

/// The block that is running; one at a time, on one host thread.
struct Block {
  std::vector<std::unique_ptr<Fiber>> fibers;  // kept between blocks for their stacks
  std::vector<Warp> warps;
  std::vector<std::byte> shared;
  Barrier barrier;
  unsigned threads = 0;
  unsigned alive = 0;
  unsigned current = 0;
  bool progress = false;
  std::jmp_buf scheduler{};
  ucontext_t scheduler_context{};
  const std::function<void()>* body = nullptr;
};
Block block;

void yield() {
  if (_setjmp(block.fibers[block.current]->state) == 0) _longjmp(block.scheduler, 1);
}

void run_fiber() {
  (*block.body)();
  block.fibers[block.current]->finished = true;
  --block.alive;
  block.progress = true;
  _longjmp(block.scheduler, 1);
}

void resume(unsigned index) {
  Fiber& fiber = *block.fibers[index];
  block.current = index;
  if (_setjmp(block.scheduler) != 0) return;
  if (fiber.started) _longjmp(fiber.state, 1);
  fiber.started = true;
  getcontext(&fiber.entry);
  fiber.entry.uc_stack.ss_sp = fiber.stack.get();
  fiber.entry.uc_stack.ss_size = kStackBytes;
  fiber.entry.uc_link = nullptr;
  makecontext(&fiber.entry, run_fiber, 0);
  setcontext(&fiber.entry);
}

/// Waits until `expected()` threads have arrived; it is asked again each time, since threads may exit meanwhile.
template <class Expected>
void wait(Barrier& barrier, Expected expected) {
  const unsigned generation = barrier.generation;
  ++barrier.arrived;
  block.progress = true;
  while (barrier.generation == generation) {
    if (barrier.arrived >= expected()) {
      barrier.arrived = 0;
      ++barrier.generation;
      block.progress = true;
      return;
    }
    yield();
  }
}

void run_block(const Shape& shape, uint3 index) {
  block.threads = shape.block.x * shape.block.y * shape.block.z;
  block.alive = block.threads;
  while (block.fibers.size() < block.threads) block.fibers.push_back(std::make_unique<Fiber>());
  block.warps.assign((block.threads + 31) / 32, Warp{});
  block.barrier = {};
  block.shared.assign(shape.shared_bytes + 256, std::byte{0xff});
  for (unsigned i = 0; i < block.threads; ++i) {
    Fiber& fiber = *block.fibers[i];
    fiber.started = fiber.finished = false;
    const unsigned x = i % shape.block.x;
    const unsigned y = i / shape.block.x % shape.block.y;
    const unsigned z = i / (shape.block.x * shape.block.y);
    fiber.indices = {shape.grid, shape.block, index, {x, y, z}};
  }
  while (block.alive > 0) {
    block.progress = false;
    for (unsigned i = 0; i < block.threads; ++i)
      if (!block.fibers[i]->finished) resume(i);
    if (!block.progress) {
      std::fprintf(stderr, "simt: deadlock in block (%u, %u, %u): %u threads wait at barriers the others never reach\n",
                   index.x, index.y, index.z, block.alive);
      std::abort();
    }
  }
}

void run_grid(const Shape& shape, const std::function<void()>& body) {
  block.body = &body;
  for (unsigned z = 0; z < shape.grid.z; ++z)
    for (unsigned y = 0; y < shape.grid.y; ++y)
      for (unsigned x = 0; x < shape.grid.x; ++x) run_block(shape, {x, y, z});
}

unsigned linear_thread() {
  const Indices& at = indices();
  return at.thread_index.x + at.block.x * (at.thread_index.y + at.block.y * at.thread_index.z);
}

}  // namespace

const Indices& indices() { return block.fibers[block.current]->indices; }
unsigned lane() { return linear_thread() % 32; }
void barrier_block() {
  wait(block.barrier, [] { return block.alive; });
}
void barrier_warp(unsigned mask) {
  wait(block.warps[linear_thread() / 32].barrier, [mask] { return static_cast<unsigned>(__builtin_popcount(mask)); });
}

std::byte* dynamic_shared() {
  const auto at = reinterpret_cast<std::uintptr_t>(block.shared.data());
  return block.shared.data() + (256 - at % 256) % 256;
}

const Slot* exchange(unsigned mask, const Slot& mine) {
  Warp& warp = block.warps[linear_thread() / 32];
  const unsigned side = warp.barrier.generation % 2;
  warp.slots[side][lane()] = mine;
  barrier_warp(mask);
  return warp.slots[side];
}

cudaError_t launch(const Shape& shape, CUstream_st* stream, std::function<void()> body) {
  const unsigned threads = shape.block.x * shape.block.y * shape.block.z;
  if (threads == 0 || threads > 1024 || shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0 ||
      shape.grid.y > 65535 || shape.grid.z > 65535 || shape.shared_bytes > 227 * 1024)
    return cudaErrorInvalidConfiguration;
  return enqueue(stream, [shape, body = std::move(body)] { run_grid(shape, body); });
}

}  // namespace gonogo::simt
