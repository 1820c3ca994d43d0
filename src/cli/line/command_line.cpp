#include "cli/line/command_line.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/system/log.h"
#include "base/system/version.h"
#include "cli/line/command_files.h"
#include "cli/line/command_help.h"

namespace takt {
namespace {

constexpr const char* log_file_option = "--log-file";

bool contains(std::span<const std::string> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// CLI11 only divides the words among the options; reading values is option_value.h's, whose sentences are takt's.
const CLI::Option* declare(CLI::App& app, const Option& option) {
  const std::string names = fmt::format("{}", fmt::join(option.all_spellings(), ","));
  if (option.takes == Takes::nothing) return app.add_flag(names);
  const int most = option.takes == Takes::words ? CLI::detail::expected_max_vector_size : 1;
  return app.add_option(names)
      ->expected(option.takes == Takes::maybe_a_word ? 0 : 1, most)
      // Of an option one word each time: else CLI11 would take [1,2] apart.
      ->allow_extra_args(option.positional() && option.takes == Takes::words)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// Underscores in the names of options are dashes: --batch_size is --batch-size.
std::vector<std::string> with_dashes(const CommandDescription& command, std::span<const std::string> arguments) {
  std::vector<std::string> words(arguments.begin(), arguments.end());
  for (std::string& word : words) {
    const std::size_t end = std::min(word.find('='), word.size());
    std::string name = word.substr(0, end);
    std::replace(name.begin(), name.end(), '_', '-');
    const auto is_called = [&](const Option& option) { return contains(option.all_spellings(), name); };
    if (word.starts_with("--") && std::any_of(command.options.begin(), command.options.end(), is_called))
      word.replace(0, end, name);
  }
  return words;
}

/// Last word first, as CLI11 wants them. "--trace=" gives an empty value, where CLI11 would take the next word.
std::vector<std::string> reversed_words(std::span<const std::string> arguments) {
  std::vector<std::string> words;
  for (const auto& word : arguments) {
    const bool empty_value = word.starts_with("--") && word.size() > 3 && word.find('=') == word.size() - 1;
    words.push_back(empty_value ? word.substr(0, word.size() - 1) : word);
    if (empty_value) words.emplace_back();
  }
  std::reverse(words.begin(), words.end());
  return words;
}

std::vector<std::string> spellings(const CommandDescription& command) {
  std::vector<std::string> words;
  for (const Option& option : command.options)
    if (!option.positional())
      for (auto& spelling : option.spellings()) words.push_back(std::move(spelling));
  return words;
}

std::string see_help(const CommandDescription& command) { return fmt::format("see 'takt {} --help'", command.name); }

[[noreturn]] void refuse_extra(const CommandDescription& command, const std::string& word) {
  if (!word.starts_with('-'))
    throw UsageError(fmt::format("'{}': one argument too many; {}", printable(word), see_help(command)));
  const std::string option = word.substr(0, word.find('='));
  const auto meant = meant_options(option, spellings(command));
  throw UsageError(
      fmt::format("'{}' is not an option of 'takt {}'; {}", printable(option), command.name,
                  meant.empty() ? see_help(command) : fmt::format("did you mean '{}'?", fmt::join(meant, "' or '"))));
}

[[noreturn]] void refuse_missing_value(const CommandDescription& command, const Option& option) {
  throw UsageError(
      fmt::format("{} needs a value: {} {}; {}", option.name(), option.name(), option.value, see_help(command)));
}

/// The last word asks for a value, and there is none.
[[noreturn]] void refuse_end(const CommandDescription& command, const std::string& last) {
  for (const Option& option : command.options)
    if (contains(option.all_spellings(), last)) refuse_missing_value(command, option);
  throw UsageError(fmt::format("'{}': a value is missing; {}", printable(last), see_help(command)));
}

/// "--output --format csv" would write a file named --format.
void refuse_swallowed_options(const CommandDescription& command, const Option& option,
                              std::span<const std::string> values, std::span<const std::string> arguments) {
  if (option.positional()) return;
  const auto known = spellings(command);
  for (const auto& value : values)
    if (contains(known, value) && contains(arguments, value)) refuse_missing_value(command, option);
}

/// Before the work, so that it is not lost at its end.
void check_can_be_made(const Option& option, const OptionTarget& target, bool is_given) {
  const auto path = std::get_if<std::filesystem::path*>(&target);
  if (!path || (*path)->empty()) return;
  try {
    if (option.makes == Makes::file) check_writable_file(**path);
    if (option.makes == Makes::folder) check_writable_folder(**path);
  } catch (const Error& error) {
    if (is_given) throw;
    const bool is_file = option.makes == Makes::file;
    throw Error(error.kind(), fmt::format("{}; name another {} with {} {}{}", error.what(), is_file ? "file" : "folder",
                                          option.name(), option.value,
                                          is_file ? fmt::format(", or write none with {} ''", option.name()) : ""));
  }
}

void copy_piped_models(const Option& option, const OptionTarget& target) {
  if (option.names != "MODEL" && option.names != "DIR|MODEL") return;
  if (const auto path = std::get_if<std::filesystem::path*>(&target)) **path = piped_model(**path);
  if (const auto paths = std::get_if<std::vector<std::filesystem::path>*>(&target))
    for (auto& path : **paths) path = piped_model(path);
}

/// The text has a choice of the tables, and --table would change nothing.
void refuse_table_of_text(const std::vector<std::string>& table, const std::vector<std::string>& format) {
  if (!table.empty() && format.empty())
    throw UsageError(fmt::format("--table {}: one table is printed with --format csv; add it, or leave --table out",
                                 printable(table.front())));
}

}  // namespace

CommandLine::CommandLine(std::string name, std::string summary, std::string example, LogOptions& log)
    : name_(std::move(name)), summary_(std::move(summary)), example_(std::move(example)), log_(&log) {}

void CommandLine::add(Option option, OptionTarget target) {
  option.group = heading_;
  options_.push_back({fitted(std::move(option), target), target});
}

std::vector<CommandLine::Bound> CommandLine::all_options() const {
  const std::string group = heading_.empty() ? "" : "Help and messages";
  std::vector<Bound> all = options_;
  const Option level{.names = "--log-level",
                     .value = "LEVEL",
                     .fallback = "info",
                     .one_of = {"debug", "info", "warning", "error"},
                     .group = group};
  const Option file{
      .names = log_file_option, .value = "FILE", .meaning = "Also write messages to this file", .group = group};
  all.push_back({fitted(file, &log_->file), &log_->file});
  all.push_back({fitted(level, &log_->level), &log_->level});
  return all;
}

CommandDescription CommandLine::description() const {
  CommandDescription command{name_, summary_, example_, {}};
  for (Bound& bound : all_options()) command.options.push_back(std::move(bound.option));
  command.options.push_back({.names = "-h,--help",
                             .meaning = "Show this text",
                             .takes = Takes::nothing,
                             .group = command.options.back().group});
  return command;
}

bool CommandLine::parse(std::span<const std::string> typed) {
  const CommandDescription command = description();
  const std::vector<std::string> arguments = with_dashes(command, typed);
  const std::vector<Bound> all = all_options();
  CLI::App app;
  app.set_help_flag("-h,--help");
  app.allow_extras();  // refused here, where the nearest spelling can be named
  std::vector<const CLI::Option*> declared;
  for (const Bound& bound : all) declared.push_back(declare(app, bound.option));
  std::vector<std::string> extras;
  try {
    app.parse(reversed_words(arguments));
    extras = app.remaining();
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", help_of(command));
    return false;
  } catch (const CLI::ParseError&) {
    extras = app.remaining();
    if (extras.empty() || !extras.front().starts_with('-')) refuse_end(command, arguments.back());
  }
  if (const auto mark = std::find(extras.begin(), extras.end(), "--"); mark != extras.end()) extras.erase(mark);
  // An unknown option often is the reason why a required one is missing, so it is named first.
  if (!extras.empty() && extras.front().starts_with('-')) refuse_extra(command, extras.front());
  CommandFiles files;
  std::vector<std::string> table, format;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& values = declared[i]->results();
    if (all[i].option.names == "--table") table = values;
    if (all[i].option.names == "--format") format = values;
    refuse_swallowed_options(command, all[i].option, values, arguments);
    if (!values.empty()) store(all[i].option, values, all[i].target);
    if (values.empty() && all[i].option.required)
      throw UsageError(fmt::format("{} is required; {}", all[i].option.name(), see_help(command)));
    if (all[i].option.names != log_file_option) files.add(all[i].option, all[i].target, values);
  }
  if (!extras.empty()) refuse_extra(command, extras.front());
  refuse_table_of_text(table, format);
  files.add_log(log_->file, log_file_option);
  files.check();
  apply(*log_);
  log_debug(fmt::format("takt {}: takt {} {}", version, command.name,
                        printable(fmt::format("{}", fmt::join(arguments, " ")))));
  for (const Bound& bound : all) copy_piped_models(bound.option, bound.target);
  for (std::size_t i = 0; i < all.size(); ++i)
    check_can_be_made(all[i].option, all[i].target, !declared[i]->results().empty());
  return true;
}

void apply(const LogOptions& log) { set_up_log(parse_log_level(log.level), log.file); }

}  // namespace takt
