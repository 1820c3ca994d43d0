#include "cli/measure/peer_options.h"

#include <algorithm>
#include <optional>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "cli/measure/peer_option_table.h"

namespace takt {

namespace {

struct Parsed {
  const PeerOption* option = nullptr;  ///< nullptr: a plain word
  std::string spelling;
  std::optional<std::string> value;  ///< given in the same word
};

bool has_name(const PeerOption& option, std::string_view name) {
  return std::find(option.names.begin(), option.names.end(), name) != option.names.end();
}

const PeerOption* find_option(std::string_view name) {
  for (const auto& option : peer_options())
    if (has_name(option, name)) return &option;
  return nullptr;
}

/// What argparse takes for a number rather than an option: -N, -N.N, -.N.
bool is_negative_number(std::string_view word) {
  word.remove_prefix(1);
  const auto digits = [](std::string_view text) {
    return text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const auto point = word.find('.');
  if (point == std::string_view::npos) return !word.empty() && digits(word);
  return digits(word.substr(0, point)) && point + 1 < word.size() && digits(word.substr(point + 1));
}

[[noreturn]] void unknown_option(const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const auto& option : peer_options()) names.insert(names.end(), option.names.begin(), option.names.end());
  throw UsageError("unknown option '" + printable(name) + "'; " + suggestion(name, names, "see takt analyze --help"));
}

Parsed resolve_prefix(const std::string& word) {
  const auto equals = word.find('=');
  const std::string prefix = word.substr(0, equals);
  std::vector<Parsed> matches;
  for (const auto& option : peer_options())
    for (const auto& name : option.names)
      if (option.of_peer && name.starts_with(prefix)) matches.push_back({&option, name, std::nullopt});
  if (matches.size() > 1) {
    std::string message = "'" + printable(prefix) + "' is short for several options:";
    for (const auto& match : matches) message += (&match == &matches.front() ? " " : ", ") + match.spelling;
    throw UsageError(message);
  }
  if (matches.empty()) return {};
  if (equals != std::string::npos) matches.front().value = word.substr(equals + 1);
  return matches.front();
}

/// The option a word names, nullopt for a plain word. Follows the order of checks in Python's argparse.
std::optional<Parsed> parse_word(const std::string& word) {
  if (word.empty() || word[0] != '-') return std::nullopt;
  if (const PeerOption* option = find_option(word)) return Parsed{option, word, std::nullopt};
  if (word.size() == 1) return std::nullopt;
  const auto equals = word.find('=');
  if (equals != std::string::npos)
    if (const PeerOption* option = find_option(word.substr(0, equals)))
      return Parsed{option, word.substr(0, equals), word.substr(equals + 1)};
  if (word[1] == '-') {
    if (const Parsed found = resolve_prefix(word); found.option) return found;
  } else if (const PeerOption* option = find_option(word.substr(0, 2))) {
    return Parsed{option, word.substr(0, 2), word.substr(2)};
  }
  if (is_negative_number(word) || word.find(' ') != std::string::npos) return std::nullopt;
  return Parsed{nullptr, word, std::nullopt};
}

class Parser {
 public:
  explicit Parser(std::span<const std::string> words) : words_(words) {}

  AnalyzeOptions parse() {
    bool only_plain = false;
    for (std::size_t i = 0; i < words_.size() && !options_.help; ++i) {
      if (!only_plain && words_[i] == "--") {
        only_plain = true;
        continue;
      }
      const auto parsed = only_plain ? std::nullopt : parse_word(words_[i]);
      if (!parsed)
        take_file(words_[i]);
      else if (!parsed->option)
        unknown_option(words_[i]);
      else
        take_option(*parsed, i);
    }
    if (!file_ && !options_.help) throw UsageError("no profile given; name its file, e.g. takt analyze profile.json");
    if (file_) options_.file = *file_;
    return std::move(options_);
  }

 private:
  void take_file(const std::string& word) {
    if (file_) throw UsageError("'" + printable(word) + "' is one argument too many; one profile is read at a time");
    file_ = word;
  }

  void take_option(const Parsed& parsed, std::size_t& i) {
    const PeerOption& option = *parsed.option;
    if (!option.takes_value()) {
      option.apply(options_, "");
      if (parsed.value) flag_with_value(parsed);
      return;
    }
    if (parsed.value) return option.apply(options_, *parsed.value);
    if (i + 1 >= words_.size() || words_[i + 1] == "--" || parse_word(words_[i + 1]))
      throw UsageError(parsed.spelling + " needs a value; one that starts with '-' is given as " + parsed.spelling +
                       "=VALUE");
    option.apply(options_, words_[++i]);
  }

  /// "-ht3" is "-h -t3" to argparse; a long flag with a value is a mistake.
  void flag_with_value(const Parsed& parsed) const {
    const bool further =
        !parsed.spelling.starts_with("--") && !parsed.value->empty() && find_option("-" + parsed.value->substr(0, 1));
    if (!further) throw UsageError(parsed.spelling + " takes no value ('" + printable(*parsed.value) + "' given)");
  }

  std::span<const std::string> words_;
  std::optional<std::string> file_;
  AnalyzeOptions options_;
};

}  // namespace

AnalyzeOptions parse_analyze_options(std::span<const std::string> words) { return Parser(words).parse(); }

std::string analyze_summary() {
  return "Shows where the time of a profiled run went, per operator. PROFILE is a file of takt, MegEngine's "
         "load_and_run, ONNX Runtime, or OpenVINO's benchmark_app (CSV or JSON with counters). Long options may be "
         "shortened (--min for --min-time) except --columns and --format.";
}

std::string analyze_help() {
  constexpr std::size_t indent = 32;
  std::string text = "usage: takt analyze [options] PROFILE\n\n" + wrapped(analyze_summary(), 80) + "\n\nOptions:\n";
  for (const auto& option : peer_options()) {
    std::string left = "  ";
    for (const auto& name : option.names) left += (name == option.names.front() ? "" : ", ") + name;
    if (option.takes_value()) left += " " + option.value_name;
    left += left.size() + 1 < indent ? std::string(indent - left.size(), ' ') : "\n" + std::string(indent, ' ');
    text += left + wrapped(option.help, 80, indent) + "\n";
  }
  return text +
         "\nExample: the five types that took longest\n"
         "  takt analyze profile.json -t 5 --aggregate-by type --aggregate sum\n";
}

}  // namespace takt
