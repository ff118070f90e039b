#include "harness/cli/options.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <utility>

#include "harness/core/error.hpp"
#include "harness/core/nearest.hpp"
#include "harness/record/build_info.hpp"
#include "harness/record/run_record.hpp"
#include "harness/record/strict_json.hpp"

namespace gonogo::cli {

struct OptionSet::Impl {
  CLI::App* app = nullptr;
  std::unique_ptr<CLI::App> owned;  // the root only; a subcommand's app belongs to its parent's
  std::string heading = "Options";
  std::vector<std::string> flags{"--help"};
  std::vector<std::pair<std::string, std::function<record::Json()>>> values;
  std::vector<std::unique_ptr<OptionSet>> commands;
  bool version = false;
  bool schema = false;
};

namespace {

std::string list_of(const std::vector<std::int64_t>& values) {
  return values.empty() ? "none" : fmt::format("{}", fmt::join(values, ","));
}

std::string bare(const std::string& flag) { return flag.substr(std::min(flag.find_first_not_of('-'), flag.size())); }

std::string suggestion(const std::string& word, const std::vector<std::string>& candidates) {
  const auto match = core::nearest(word, candidates);
  return match.empty() ? "see --help" : fmt::format("did you mean {}?", match);
}

std::string one_of(const std::vector<std::string>& choices, const std::string& text, const std::string& flag) {
  if (std::find(choices.begin(), choices.end(), text) == choices.end())
    throw core::UsageError(fmt::format("{}: wanted one of {}, got '{}'", flag, fmt::join(choices, ", "), text));
  return text;
}

template <class T>
record::Json json_of(const std::optional<T>& target) {
  return target ? record::Json(*target) : record::Json(nullptr);
}

void configure(CLI::App& app) {
  app.allow_extras();  // so that a stray argument is reported here, with its nearest match
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.get_formatter()->column_width(34);
}

}  // namespace

OptionSet::OptionSet(std::string program, std::string description) : impl_(std::make_unique<Impl>()) {
  impl_->owned = std::make_unique<CLI::App>(std::move(description), std::move(program));
  impl_->app = impl_->owned.get();
  configure(*impl_->app);
  impl_->app->add_flag("--version", impl_->version, "Print version and commit and exit")->disable_flag_override();
  impl_->app->add_flag("--schema", impl_->schema, "Print the JSON Schema of run records and exit")
      ->disable_flag_override();
  impl_->flags.insert(impl_->flags.end(), {"--version", "--schema"});
}
OptionSet::OptionSet(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
OptionSet::~OptionSet() = default;

void OptionSet::group(const std::string& heading) { impl_->heading = heading; }

void OptionSet::value(const std::string& flag, const std::string& help, std::function<void(const std::string&)> set) {
  impl_->flags.push_back(flag);
  impl_->app
      ->add_option_function<std::string>(
          flag,
          [this, flag, set = std::move(set)](const std::string& text) {
            const auto& flags = impl_->flags;
            if (std::find(flags.begin(), flags.end(), text.substr(0, text.find('='))) != flags.end())
              throw core::UsageError(fmt::format("{} needs a value, got the option {}", flag, text));
            set(text);
          },
          help)
      ->group(impl_->heading);
}

void OptionSet::integer(const std::string& flag, std::int64_t& target, IntegerRange range, const std::string& help) {
  value(flag, fmt::format("{} [{}]", help, target),
        [=, &target](const std::string& text) { target = parse_integer(text, flag, range); });
  impl_->values.emplace_back(bare(flag), [&target] { return record::Json(target); });
}

void OptionSet::integer(const std::string& flag, std::optional<std::int64_t>& target, IntegerRange range,
                        const std::string& help) {
  value(flag, help, [=, &target](const std::string& text) { target = parse_integer(text, flag, range); });
  impl_->values.emplace_back(bare(flag), [&target] { return json_of(target); });
}

void OptionSet::real(const std::string& flag, double& target, RealRange range, const std::string& help) {
  value(flag, fmt::format("{} [{}]", help, target),
        [=, &target](const std::string& text) { target = parse_real(text, flag, range); });
  impl_->values.emplace_back(bare(flag), [&target] { return record::Json(target); });
}

void OptionSet::real(const std::string& flag, std::optional<double>& target, RealRange range, const std::string& help) {
  value(flag, help, [=, &target](const std::string& text) { target = parse_real(text, flag, range); });
  impl_->values.emplace_back(bare(flag), [&target] { return json_of(target); });
}

void OptionSet::text(const std::string& flag, std::string& target, const std::string& help) {
  value(flag, target.empty() ? help : fmt::format("{} [{}]", help, target),
        [&target](const std::string& text) { target = text; });
  impl_->values.emplace_back(bare(flag), [&target] { return record::Json(target); });
}

void OptionSet::text(const std::string& flag, std::optional<std::string>& target, const std::string& help) {
  value(flag, help, [&target](const std::string& text) { target = text; });
  impl_->values.emplace_back(bare(flag), [&target] { return json_of(target); });
}

void OptionSet::choice(const std::string& flag, std::string& target, const std::vector<std::string>& choices,
                       const std::string& help) {
  value(flag, fmt::format("{}: {} [{}]", help, fmt::join(choices, "|"), target),
        [=, &target](const std::string& text) { target = one_of(choices, text, flag); });
  impl_->values.emplace_back(bare(flag), [&target] { return record::Json(target); });
}

void OptionSet::choice(const std::string& flag, std::optional<std::string>& target,
                       const std::vector<std::string>& choices, const std::string& help) {
  value(flag, fmt::format("{}: {}", help, fmt::join(choices, "|")),
        [=, &target](const std::string& text) { target = one_of(choices, text, flag); });
  impl_->values.emplace_back(bare(flag), [&target] { return json_of(target); });
}

void OptionSet::axis(const std::string& flag, std::vector<std::int64_t>& target, const AxisRule& rule,
                     const std::string& help) {
  value(flag, fmt::format("{} [{}]", help, list_of(target)),
        [=, &target](const std::string& text) { target = parse_axis(text, flag, rule); });
  impl_->values.emplace_back(bare(flag), [&target] { return record::Json(target); });
}

void OptionSet::flag(const std::string& flag, bool& target, const std::string& help) {
  impl_->flags.push_back(flag);
  impl_->app->add_flag(flag, target, help)->disable_flag_override()->group(impl_->heading);
  impl_->values.emplace_back(bare(flag), [&target] { return record::Json(target); });
}

void OptionSet::positional(const std::string& name, std::string& target, const std::string& help) {
  const auto set = [name, &target](const std::string& text) {
    if (text.empty()) throw core::UsageError(name + " is empty");
    target = text;
  };
  impl_->app->add_option_function<std::string>(name, set, help)->required();
  impl_->values.emplace_back(name, [&target] { return record::Json(target); });
}

void OptionSet::positionals(const std::string& name, std::vector<std::string>& targets, const std::string& help) {
  const auto set = [name, &targets](const std::vector<std::string>& texts) {
    if (std::find(texts.begin(), texts.end(), "") != texts.end()) throw core::UsageError(name + " is empty");
    targets = texts;
  };
  impl_->app->add_option_function<std::vector<std::string>>(name, set, help)->required();
  impl_->values.emplace_back(name, [&targets] { return record::Json(targets); });
}

OptionSet& OptionSet::command(const std::string& name, const std::string& description) {
  auto impl = std::make_unique<Impl>();
  impl->app = impl_->app->add_subcommand(name, description);
  configure(*impl->app);
  impl_->commands.push_back(std::unique_ptr<OptionSet>(new OptionSet(std::move(impl))));
  return *impl_->commands.back();
}

std::string OptionSet::chosen() const {
  for (const auto& command : impl_->commands)
    if (command->impl_->app->parsed()) return command->impl_->app->get_name();
  return "";
}

Parsed OptionSet::parse(int argc, const char* const* argv) {
  // CLI11 would take the next argument for the value.
  for (int i = 1; i < argc; ++i)
    if (const std::string word = argv[i];
        word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1)
      throw core::UsageError(fmt::format("{} has no value after the =", word));
  try {
    impl_->app->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", impl_->app->help());
    return Parsed::done;
  } catch (const CLI::ParseError& error) {
    throw core::UsageError(fmt::format("{} (see --help)", error.what()));
  }
  const OptionSet* chosen_set = this;
  for (const auto& command : impl_->commands)
    if (command->impl_->app->parsed()) chosen_set = command.get();
  std::vector<std::string> names;
  for (const auto& command : impl_->commands) names.push_back(command->impl_->app->get_name());
  for (const OptionSet* set : {static_cast<const OptionSet*>(this), chosen_set})
    for (const std::string& extra : set->impl_->app->remaining()) {
      if (extra == "--") continue;  // everything after it is an argument
      if (extra.size() > 1 && extra[0] == '-') {
        const auto word = extra.substr(0, extra.find('='));
        throw core::UsageError(fmt::format("unknown option {} ({})", word, suggestion(word, chosen_set->impl_->flags)));
      }
      if (chosen_set == this && !names.empty())
        throw core::UsageError(fmt::format("unknown command '{}' ({})", extra, suggestion(extra, names)));
      throw core::UsageError(fmt::format("unexpected argument '{}' (see --help)", extra));
    }
  if (impl_->version) {
    const auto& build = record::build_info();
    fmt::print("{} {} ({}{})\n", impl_->app->get_name(), build.version, build.git_sha,
               build.git_dirty.value_or(false) ? ", dirty" : "");
    return Parsed::done;
  }
  if (impl_->schema) {
    fmt::print("{}", record::dump_strict(record::schema()));
    return Parsed::done;
  }
  if (chosen_set == this && !names.empty())
    throw core::UsageError(fmt::format("a command is missing: {} (see --help)", fmt::join(names, ", ")));
  return Parsed::run;
}

record::Json OptionSet::effective() const {
  record::Json result = record::Json::object();
  for (const auto& [name, get] : impl_->values) result[name] = get();
  return result;
}

}  // namespace gonogo::cli
