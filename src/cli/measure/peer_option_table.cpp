#include "cli/measure/peer_option_table.h"

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/machine/op_figures.h"
#include "measure/python_text/format.h"

namespace takt {
namespace {

using Options = AnalyzeOptions;
using Apply = std::function<void(Options&, const std::string&)>;

std::string choice(const std::string& option, const std::string& value, const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
  std::string message = option + ": '" + printable(value) + "' is not one of";
  for (const auto& word : choices) message += (word == choices.front() ? " " : ", ") + word;
  const std::string meant = suggestion(value, choices, "");
  throw UsageError(message + (meant.empty() ? "" : "; " + meant));
}

PeerOption peer_flag(std::vector<std::string> names, std::string help, bool Options::*set) {
  return {std::move(names), "", std::move(help), [set](Options& o, const std::string&) { o.*set = true; }};
}

PeerOption peer_value(std::vector<std::string> names, std::string value_name, std::string help, Apply apply) {
  return {std::move(names), std::move(value_name), std::move(help), std::move(apply)};
}

PeerOption peer_text(std::string name, std::string value_name, std::string help, std::string Options::*set) {
  return peer_value({std::move(name)}, std::move(value_name), std::move(help),
                    [set](Options& o, const std::string& value) { o.*set = value; });
}

PeerOption peer_seconds(const std::string& name, std::string help, std::optional<double> Options::*set) {
  return peer_value({name}, "SECONDS", std::move(help), [name, set](Options& o, const std::string& value) {
    const auto number = python_float(value);
    if (!number) throw UsageError(name + ": '" + printable(value) + "' is not a number of seconds, such as 1e-5");
    o.*set = *number;
  });
}

/// One of the words in `value_name`, which '|' parts; `apply` gets it.
PeerOption peer_choice(const std::string& name, const std::string& value_name, std::string help, Apply apply) {
  return peer_value({name}, value_name, std::move(help),
                    [name, words = split(value_name, '|'), apply](Options& o, const std::string& value) {
                      apply(o, choice(name, value, words));
                    });
}

PeerOption own(PeerOption option) {
  option.of_peer = false;
  return option;
}

void set_top(Options& o, const std::string& value) {
  const auto number = python_int(value);
  if (!number) throw UsageError("--top: '" + printable(value) + "' is not a whole number");
  o.top = *number;
  o.top_given = true;
}

void set_aggregate(Options& o, const std::string& word) {
  using Aggregate = Options::Aggregate;
  o.aggregate = word == "max"   ? Aggregate::max
                : word == "min" ? Aggregate::min
                : word == "sum" ? Aggregate::sum
                                : Aggregate::mean;
}

void set_part(Options& o, const std::string& word) {
  using Part = Options::Part;
  o.part = word == "summary" ? Part::summary : word == "device" ? Part::device : Part::host;
}

void add_type(Options& o, const std::string& value) { o.types.push_back(value); }
void set_by_type(Options& o, const std::string&) { o.aggregate_by_type = true; }
void set_end_key(Options& o, const std::string& word) { o.until_kernel = word == "kern"; }
void set_columns(Options& o, const std::string& value) { o.columns = parse_column_names(value); }
void set_format(Options& o, const std::string& word) { o.format = word; }

void set_log_level(Options& o, const std::string& word) { o.log_level = word; }

constexpr const char* order_help =
    "Sort by time, computation, memory, FLOPS, bandwidth, opr_id, in_shapes or out_shapes; + ascends. Default: time";
constexpr const char* columns_help =
    "Choose columns: time_us, mean_us, p50_us, p90_us, p99_us, intensity, roofline, peak_share …, or all; 'takt "
    "explain' describes them.";

}  // namespace

const std::vector<PeerOption>& peer_options() {
  static const std::vector<PeerOption> options = {
      peer_flag({"-h", "--help"}, "Print this text.", &Options::help),
      peer_value({"-t", "--top"}, "N", "Show the first N operators; 0 shows all. Default: 3, and all as csv and json",
                 set_top),
      peer_value({"--type"}, "TYPE", "Only operators of this type; repeat for several.", add_type),
      peer_choice("--aggregate-by", "type", "One row per operator type; needs --aggregate.", set_by_type),
      peer_choice("--aggregate", "max|min|sum|mean", "Combine operators into one row.", set_aggregate),
      peer_text("--opr-name", "REGEX", "Only operators whose name starts with a match (Python).",
                &Options::name_pattern),
      peer_text("--input-dtype", "DTYPE", "Only operators with an input of this data type.", &Options::input_type),
      peer_choice("--top-end-key", "end|kern", "Rank by the whole time, or by the wait. Default: end", set_end_key),
      peer_text("--order-by", "[+]COLUMN", order_help, &Options::order_by),
      peer_flag({"--copy-time"}, "Add the time of copies to the summary.", &Options::copy_time),
      peer_seconds("--min-time", "Leave out operators that took less.", &Options::min_time),
      peer_seconds("--max-time", "Leave out operators that took more.", &Options::max_time),
      peer_flag({"--show-host"}, "Show the host times too.", &Options::show_host),
      peer_flag({"--dump-only-opr"}, "Print name, type and id only.", &Options::names_only),
      peer_flag({"--confluence", "--wiki"}, "Print tables for a wiki.", &Options::wiki),
      peer_choice("--print-only", "summary|device|host", "Print one part only.", set_part),
      own(peer_value({"--columns"}, "NAMES", columns_help, set_columns)),
      own(peer_choice("--format", "table|csv|json|markdown", "Print the operators in another form. Default: table",
                      set_format)),
      own(peer_text("-o", "FILE", "Write to FILE instead of standard output.", &Options::output)),
      own(peer_text("--log-file", "FILE", "Also write messages to this file.", &Options::log_file)),
      own(peer_choice("--log-level", "debug|info|warning|error", "Messages on standard error. Default: info",
                      set_log_level)),
  };
  return options;
}

}  // namespace takt
