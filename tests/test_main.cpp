// One main for every test program: runs Catch2's session and counts its cases. A case that skipped itself counts as
// skipped, one without a single assertion as failed; a wholly skipped program exits 77. With GONOGO_TEST_COUNTS=FILE
// the line "passed failed skipped assertions" goes there (scripts/test sums them up).
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace gonogo::tests {
namespace {

struct Counts {
  unsigned long long passed = 0, failed = 0, skipped = 0, assertions = 0;
};
Counts counts;
bool skipping = false;  // the running case has skipped itself

#if __has_include(<catch2/catch_all.hpp>)
using Listener = Catch::EventListenerBase;
const std::string& name_of(const Catch::TestCaseStats& stats) { return stats.testInfo->name; }
#else
using Listener = Catch::TestEventListenerBase;
const std::string& name_of(const Catch::TestCaseStats& stats) { return stats.testInfo.name; }
#endif

struct CountCases : Listener {
  using Listener::Listener;
  void testCaseStarting(Catch::TestCaseInfo const&) override { skipping = false; }
  void testCaseEnded(Catch::TestCaseStats const& stats) override {
    const auto& assertions = stats.totals.assertions;
    counts.assertions += assertions.total();
    if (assertions.failed > 0) {
      ++counts.failed;
    } else if (skipping) {
      ++counts.skipped;
    } else if (assertions.total() == 0) {
      std::fprintf(stderr, "FAILED: no assertion ran in \"%s\"\n", name_of(stats).c_str());
      ++counts.failed;
    } else {
      ++counts.passed;
    }
  }
};

bool write_counts() {
  const char* file = std::getenv("GONOGO_TEST_COUNTS");
  if (file == nullptr) return true;
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), ignored);
  std::ofstream out(file);
  out << counts.passed << ' ' << counts.failed << ' ' << counts.skipped << ' ' << counts.assertions << '\n';
  return static_cast<bool>(out.flush());
}

}  // namespace

void skip_test(const char* reason);
void skip_test(const char* reason) {
  skipping = true;
  std::fprintf(stderr, "SKIPPED: %s\n", reason);
}

}  // namespace gonogo::tests

using gonogo::tests::CountCases;
CATCH_REGISTER_LISTENER(CountCases)

int main(int argc, char** argv) {
  const int ended = Catch::Session().run(argc, argv);
  const gonogo::tests::Counts& counts = gonogo::tests::counts;
  if (!gonogo::tests::write_counts()) {
    std::fprintf(stderr, "cannot write the counts to $GONOGO_TEST_COUNTS\n");
    return 1;
  }
  if (ended != 0) return ended;
  if (counts.failed > 0) return 1;
  return counts.skipped > 0 && counts.passed == 0 ? 77 : 0;
}
