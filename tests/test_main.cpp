// One main for every test program: runs Catch2's session and reports a wholly skipped program as exit code 77.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include <cstdio>

namespace gonogo::tests {
namespace {
int skipped = 0;
int started = 0;
}  // namespace
void skip_test(const char* reason);
void skip_test(const char* reason) {
  ++skipped;
  std::fprintf(stderr, "SKIPPED: %s\n", reason);
}
}  // namespace gonogo::tests

#if __has_include(<catch2/catch_all.hpp>)
struct CountTests : Catch::EventListenerBase {
  using EventListenerBase::EventListenerBase;
#else
struct CountTests : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
#endif
  void testCaseStarting(Catch::TestCaseInfo const&) override { ++gonogo::tests::started; }
};
CATCH_REGISTER_LISTENER(CountTests)

int main(int argc, char** argv) {
  const int failed = Catch::Session().run(argc, argv);
  if (failed != 0) return failed;
  return gonogo::tests::started > 0 && gonogo::tests::skipped == gonogo::tests::started ? 77 : 0;
}
