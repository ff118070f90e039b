#include "harness/core/allocation.hpp"

#include <cstdint>
#include <utility>

#include "harness/core/error.hpp"
#include "tests/catch.hpp"

using namespace gonogo::core;

TEST_CASE("allocations and frees are counted once each, moves not at all", "[core]") {
  const AllocationCounts before = host_allocations();
  {
    HostBuffer a(100);
    CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 64 == 0);
    HostBuffer b = std::move(a);
    CHECK(b.size() == 100);
    CHECK((host_allocations() - before) == AllocationCounts{1, 0, 100});
  }
  CHECK((host_allocations() - before) == AllocationCounts{1, 1, 100});
}

TEST_CASE("an allocation while allocation is forbidden is an error", "[core]") {
  {
    const ForbidAllocation forbid;
    CHECK_THROWS_AS(HostBuffer(8), LogicError);
  }
  CHECK_NOTHROW(HostBuffer(8));
}
