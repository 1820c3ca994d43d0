// The command line of `takt analyze`: the peer analyser's options, parsed as Python's argparse parses them, and takt's.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace takt {

struct AnalyzeOptions {
  enum class Part { all, summary, device, host };
  enum class Aggregate { none, max, min, sum, mean };

  std::string file;
  long long top = 3;               ///< 0: all; negative: all but the last so many
  std::vector<std::string> types;  ///< empty: every type
  std::string name_pattern;        ///< empty: every name
  std::string input_type;          ///< empty: every data type
  bool until_kernel = false;       ///< --top-end-key kern: the wait before the kernel instead of the whole time
  Aggregate aggregate = Aggregate::none;
  bool aggregate_by_type = false;
  std::string order_by = "time";  ///< "+" in front: ascending
  bool copy_time = false;
  std::optional<double> min_time, max_time;  ///< seconds, bounds included
  bool show_host = false;
  bool names_only = false;  ///< --dump-only-opr
  bool wiki = false;        ///< --confluence, --wiki
  Part part = Part::all;
  bool help = false;
  std::string format = "table";      ///< takt's own: table, csv, json, markdown
  std::string output;                ///< takt's own: a file instead of standard output
  std::vector<std::string> columns;  ///< takt's own: empty for the usual ones
};

/// Parses the words after `analyze`. Long options of the peer may be shortened to a prefix that only one of them has;
/// takt's own need their full spelling. Throws UsageError with the nearest right spelling.
AnalyzeOptions parse_analyze_options(std::span<const std::string> words);

/// The text of `takt analyze --help`; 80 columns, ends with a newline.
std::string analyze_help();

}  // namespace takt
