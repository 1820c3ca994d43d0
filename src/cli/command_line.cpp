#include "cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/log.h"
#include "core/text.h"

namespace takt {
namespace {

std::string wrap(const std::string& text, std::size_t width) {
  std::string wrapped;
  std::size_t column = 0;
  for (const auto& word : split(text, ' ')) {
    if (column > 0 && column + 1 + word.size() > width) wrapped += '\n', column = 0;
    if (column > 0) wrapped += ' ', ++column;
    wrapped += word;
    const auto line_end = word.rfind('\n');
    column = line_end == word.npos ? column + word.size() : word.size() - line_end - 1;
  }
  return wrapped;
}

/// Two columns within 80: the option, and why one would use it. CLI11 indents the lines of the second one.
class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat() { column_width(26); }
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrap(Formatter::make_option_desc(option), 53);
  }
  std::string make_description(const CLI::App* app) const override {
    return wrap(Formatter::make_description(app), 80);
  }
  // The types that CLI11 would print ("TEXT", "INT") say less than the names chosen with type_name().
  std::string make_usage(const CLI::App* app, std::string) const override {
    std::string usage = "Usage: takt " + app->get_name();
    for (const CLI::Option* option : app->get_options())
      if (option->get_positional()) usage += " " + option->get_name(true);
    return usage + " [options]\n";
  }
};

std::vector<std::string> spellings(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) words.push_back("--" + name);
    for (const auto& name : option->get_snames()) words.push_back("-" + name);
  }
  return words;
}

[[noreturn]] void refuse_extra(const CLI::App& app) {
  std::string word = app.remaining().empty() ? "" : app.remaining().front();
  if (!word.starts_with('-'))
    throw UsageError(fmt::format("'{}': one argument too many; see 'takt {} --help'", printable(word), app.get_name()));
  std::string option = word.substr(0, word.find('='));
  auto nearest = nearest_word(option, spellings(app));
  throw UsageError(fmt::format(
      "'{}' is not an option of 'takt {}'; {}", printable(option), app.get_name(),
      nearest ? fmt::format("did you mean '{}'?", *nearest) : fmt::format("see 'takt {} --help'", app.get_name())));
}

}  // namespace

std::unique_ptr<CLI::App> make_app(const std::string& name, const std::string& summary, const std::string& example,
                                   LogOptions& log) {
  auto app = std::make_unique<CLI::App>(summary, name);
  app->formatter(std::make_shared<HelpFormat>());
  app->set_help_flag("-h,--help", "Show this text");
  app->allow_extras();  // reported by parse(), which can name the nearest spelling
  app->footer("Example:\n  " + example);
  app->add_option("--log-file", log.file, "Also write messages to this file")->type_name("FILE");
  app->add_option("--log-level", log.level, "debug, info, warning or error. Default: info")->type_name("LEVEL");
  return app;
}

bool parse(CLI::App& app, std::span<const std::string> arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return false;
  } catch (const CLI::ParseError& error) {
    // An unknown option often is the reason why a required one is missing, so it is named first.
    if (!app.remaining().empty() && app.remaining().front().starts_with('-')) refuse_extra(app);
    std::string message = error.what();
    std::replace(message.begin(), message.end(), '\n', ' ');
    throw UsageError(fmt::format("{}; see 'takt {} --help'", printable(message), app.get_name()));
  }
  if (!app.remaining().empty()) refuse_extra(app);
  return true;
}

void apply(const LogOptions& log) { set_up_log(parse_log_level(log.level), log.file); }

}  // namespace takt
