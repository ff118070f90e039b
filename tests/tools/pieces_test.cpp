// Ids to text.
#include "tools/pieces.hpp"

#include <fstream>

#include "harness/core/error.hpp"
#include "tests/catch.hpp"
#include "tests/models/temp_folder.hpp"

namespace gonogo::tests {
namespace {

using Pieces = std::vector<std::string>;

Pieces read(const std::string& text) {
  const TempFolder folder;
  std::ofstream(folder.path() / "pieces", std::ios::binary) << text;
  return tools::read_pieces(folder.path() / "pieces");
}

std::string text(const std::vector<std::int64_t>& ids, const Pieces& pieces) { return tools::text_of(ids, pieces); }

TEST_CASE("pieces are a JSON list, a list of pairs, or lines whose rest after a tab is left", "[tools]") {
  CHECK(read(R"(["a", "b\n"])") == Pieces{"a", "b\n"});
  CHECK(read(R"( [["a", -1.5], ["b", 2]])") == Pieces{"a", "b"});
  CHECK(read("a\t-1.5\nb\t2\n") == Pieces{"a", "b"});
  CHECK(read("a\n\nb") == Pieces{"a", "", "b"});  // an empty piece keeps its id
}

TEST_CASE("what is no list of pieces is refused", "[tools]") {
  for (const char* bad : {"", "[]", "[1, 2]", "[[]]", R"(["a")", "[{}]"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(read(bad), core::InputError);
  }
  CHECK_THROWS_AS(tools::read_pieces("no such file"), core::InputError);
}

TEST_CASE("a lower block is a space, a byte piece its byte, a control piece nothing", "[tools]") {
  const Pieces pieces{"<unk>",  "<s>", "\n</s>\n", "\xe2\x96\x81Once", "\xe2\x96\x81\xe2\x96\x81", "<0x0A>", "<0xC3>",
                      "<0xA9>", "<b>", "\n"};
  CHECK(text({1, 3, 4, 8, 2}, pieces) == " Once  <b>");
  CHECK(text({5}, pieces) == "\n");
  CHECK(text({6, 7}, pieces) == "\xc3\xa9");
  CHECK(text({0, 9}, pieces) == "\n");
  CHECK(text({}, pieces).empty());
}

TEST_CASE("an id that the list does not hold is refused with the ids it holds", "[tools]") {
  for (const std::int64_t id : {-1, 2}) {
    try {
      (void)text({0, id}, {"a", "b"});
      FAIL("not refused");
    } catch (const core::InputError& error) {
      CHECK(std::string(error.what()).find("ids 0 to 1") != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace gonogo::tests
