#include "profile/analyze_options.h"

#include <algorithm>
#include <functional>

#include "core/error.h"
#include "core/text.h"
#include "profile/op_figures.h"
#include "profile/python_format.h"

namespace takt {

namespace {

struct Option {
  std::vector<std::string> names;
  bool takes_value;
  bool of_peer;
  std::string value_name, help;
  std::function<void(AnalyzeOptions&, const std::string&)> apply;  ///< throws UsageError for a bad value
};

std::string choice(const std::string& option, const std::string& value, const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
  std::string message = option + ": '" + printable(value) + "' is not one of";
  for (const auto& word : choices) message += (word == choices.front() ? " " : ", ") + word;
  if (const auto near = nearest_word(value, choices)) message += "; did you mean '" + *near + "'?";
  throw UsageError(message);
}

double seconds(const std::string& option, const std::string& value) {
  const auto number = python_float(value);
  if (!number) throw UsageError(option + ": '" + printable(value) + "' is not a number of seconds, such as 1e-5");
  return *number;
}

void set_top(AnalyzeOptions& o, const std::string& value) {
  const auto number = python_int(value);
  if (!number) throw UsageError("--top: '" + printable(value) + "' is not a whole number");
  o.top = *number;
}

void set_aggregate(AnalyzeOptions& o, const std::string& value) {
  using Aggregate = AnalyzeOptions::Aggregate;
  const std::string word = choice("--aggregate", value, {"max", "min", "sum", "mean"});
  o.aggregate = word == "max"   ? Aggregate::max
                : word == "min" ? Aggregate::min
                : word == "sum" ? Aggregate::sum
                                : Aggregate::mean;
}

void set_part(AnalyzeOptions& o, const std::string& value) {
  using Part = AnalyzeOptions::Part;
  const std::string word = choice("--print-only", value, {"summary", "device", "host"});
  o.part = word == "summary" ? Part::summary : word == "device" ? Part::device : Part::host;
}

using Options = AnalyzeOptions;

const std::vector<Option>& all_options() {
  static const std::vector<Option> options = {
      {{"-h", "--help"}, false, true, "", "Print this text.", [](Options& o, const std::string&) { o.help = true; }},
      {{"-t", "--top"}, true, true, "N", "Show the first N operators; 0 shows all. Default: 3", set_top},
      {{"--type"},
       true,
       true,
       "TYPE",
       "Only operators of this type; repeat for several.",
       [](Options& o, const std::string& v) { o.types.push_back(v); }},
      {{"--aggregate-by"},
       true,
       true,
       "type",
       "One row per operator type; needs --aggregate.",
       [](Options& o, const std::string& v) { o.aggregate_by_type = choice("--aggregate-by", v, {"type"}) == "type"; }},
      {{"--aggregate"}, true, true, "max|min|sum|mean", "Combine operators into one row.", set_aggregate},
      {{"--opr-name"},
       true,
       true,
       "REGEX",
       "Only operators whose name starts with a match (Python).",
       [](Options& o, const std::string& v) { o.name_pattern = v; }},
      {{"--input-dtype"},
       true,
       true,
       "DTYPE",
       "Only operators with an input of this data type.",
       [](Options& o, const std::string& v) { o.input_type = v; }},
      {{"--top-end-key"},
       true,
       true,
       "end|kern",
       "Rank by the whole time, or by the wait. Default: end",
       [](Options& o, const std::string& v) {
         o.until_kernel = choice("--top-end-key", v, {"end", "kern"}) == "kern";
       }},
      {{"--order-by"},
       true,
       true,
       "[+]COLUMN",
       "Sort by time, computation, memory, FLOPS, bandwidth, opr_id, in_shapes or out_shapes; + ascends. Default: time",
       [](Options& o, const std::string& v) { o.order_by = v; }},
      {{"--copy-time"},
       false,
       true,
       "",
       "Add the time of copies to the summary.",
       [](Options& o, const std::string&) { o.copy_time = true; }},
      {{"--min-time"},
       true,
       true,
       "SECONDS",
       "Leave out operators that took less.",
       [](Options& o, const std::string& v) { o.min_time = seconds("--min-time", v); }},
      {{"--max-time"},
       true,
       true,
       "SECONDS",
       "Leave out operators that took more.",
       [](Options& o, const std::string& v) { o.max_time = seconds("--max-time", v); }},
      {{"--show-host"},
       false,
       true,
       "",
       "Show the host times too.",
       [](Options& o, const std::string&) { o.show_host = true; }},
      {{"--dump-only-opr"},
       false,
       true,
       "",
       "Print name, type and id only.",
       [](Options& o, const std::string&) { o.names_only = true; }},
      {{"--confluence", "--wiki"},
       false,
       true,
       "",
       "Print tables for a wiki.",
       [](Options& o, const std::string&) { o.wiki = true; }},
      {{"--print-only"}, true, true, "summary|device|host", "Print one part only.", set_part},
      {{"--columns"},
       true,
       false,
       "NAMES",
       "Choose columns: time_us, mean_us, p50_us, p90_us, p99_us, intensity, roofline, peak_share …, or all; 'takt "
       "explain' says what they mean.",
       [](Options& o, const std::string& v) { o.columns = parse_column_names(v); }},
      {{"--format"},
       true,
       false,
       "table|csv|json|markdown",
       "Print the operators in another form. Default: table",
       [](Options& o, const std::string& v) {
         o.format = choice("--format", v, {"table", "csv", "json", "markdown"});
       }},
      {{"-o"},
       true,
       false,
       "FILE",
       "Write to FILE instead of standard output.",
       [](Options& o, const std::string& v) { o.output = v; }},
  };
  return options;
}

struct Parsed {
  const Option* option = nullptr;  ///< nullptr: a plain word
  std::string spelling;
  std::optional<std::string> value;  ///< given in the same word
};

bool has_name(const Option& option, std::string_view name) {
  return std::find(option.names.begin(), option.names.end(), name) != option.names.end();
}

const Option* find_option(std::string_view name) {
  for (const auto& option : all_options())
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
  for (const auto& option : all_options()) names.insert(names.end(), option.names.begin(), option.names.end());
  std::string message = "unknown option '" + printable(name) + "'";
  if (const auto near = nearest_word(name, names)) message += "; did you mean '" + *near + "'?";
  throw UsageError(message + (message.ends_with('?') ? "" : "; see takt analyze --help"));
}

Parsed resolve_prefix(const std::string& word) {
  const auto equals = word.find('=');
  const std::string prefix = word.substr(0, equals);
  std::vector<Parsed> matches;
  for (const auto& option : all_options())
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
  if (const Option* option = find_option(word)) return Parsed{option, word, std::nullopt};
  if (word.size() == 1) return std::nullopt;
  const auto equals = word.find('=');
  if (equals != std::string::npos)
    if (const Option* option = find_option(word.substr(0, equals)))
      return Parsed{option, word.substr(0, equals), word.substr(equals + 1)};
  if (word[1] == '-') {
    if (const Parsed found = resolve_prefix(word); found.option) return found;
  } else if (const Option* option = find_option(word.substr(0, 2))) {
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
    if (!file_ && !options_.help) throw UsageError("which profile? give its file, as in: takt analyze profile.json");
    if (file_) options_.file = *file_;
    return std::move(options_);
  }

 private:
  void take_file(const std::string& word) {
    if (file_) throw UsageError("'" + printable(word) + "' is one argument too many; one profile is read at a time");
    file_ = word;
  }

  void take_option(const Parsed& parsed, std::size_t& i) {
    const Option& option = *parsed.option;
    if (!option.takes_value) {
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

std::string wrapped(const std::string& text, std::size_t indent) {
  constexpr std::size_t columns = 80;
  std::string out;
  std::size_t column = indent;
  for (const auto& word : split(text, ' ')) {
    if (column + word.size() + 1 > columns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) out += ' ', ++column;
    out += word;
    column += word.size();
  }
  return out;
}

}  // namespace

AnalyzeOptions parse_analyze_options(std::span<const std::string> words) { return Parser(words).parse(); }

std::string analyze_help() {
  constexpr std::size_t indent = 32;
  std::string text =
      "usage: takt analyze [options] PROFILE\n\n"
      "Prints where the time of a profiled run went, operator by operator. PROFILE is\n"
      "of takt, MegEngine's load_and_run, ONNX Runtime, or OpenVINO's benchmark_app\n"
      "(CSV or JSON with counters). Long options may be shortened (--min for\n"
      "--min-time) except --columns and --format.\n\nOptions:\n";
  for (const auto& option : all_options()) {
    std::string left = "  ";
    for (const auto& name : option.names) left += (name == option.names.front() ? "" : ", ") + name;
    if (option.takes_value) left += " " + option.value_name;
    left += left.size() + 1 < indent ? std::string(indent - left.size(), ' ') : "\n" + std::string(indent, ' ');
    text += left + wrapped(option.help, indent) + "\n";
  }
  return text +
         "\nExample: the five types that took longest\n"
         "  takt analyze profile.json -t 5 --aggregate-by type --aggregate sum\n";
}

}  // namespace takt
