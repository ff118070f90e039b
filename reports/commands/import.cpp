#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "reports/commands/command.hpp"
#include "reports/seeds/seeds.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

namespace fs = std::filesystem;

class ImportCommand final : public Command {
 public:
  std::string name() const override { return "import"; }
  std::string description() const override {
    return "Write published tables that the program carries as run records and gates";
  }

  void declare(cli::OptionSet& options) override {
    options.positional("what", what_, "seeds: the tables of the two pull requests this project grew out of");
    options.text("--out,-o", out_, "Folder to write to, made where it is missing");
  }

  core::ExitCode run() override {
    if (what_ != "seeds") throw core::UsageError(fmt::format("import: wanted seeds, got '{}'", what_));
    const fs::path folder = out_;
    for (const fs::path& each : {folder, folder / "gates"}) {
      std::error_code code;
      fs::create_directories(each, code);
      if (code) throw core::UsageError(fmt::format("cannot make the folder {}: {}", each.string(), code.message()));
    }
    const auto files = seed_files();
    for (const auto& [name, unused] : files) record::check_writable((folder / name).string());
    for (const auto& [name, text] : files) record::write_file(folder / name, text);
    fmt::print(
        "{} files in {}: records arc-*, phase-0, increment-0, feasibility, qwen-*, peer-*; gates/; both sides of "
        "pr-948 and pr-962\n",
        files.size(), folder.string());
    return core::ExitCode::ok;
  }

 private:
  std::string what_;
  std::string out_ = "seeds";
};

}  // namespace

std::unique_ptr<Command> import_command() { return std::make_unique<ImportCommand>(); }

}  // namespace gonogo::reports
