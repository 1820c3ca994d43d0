// What `takt analyze` can be asked for: the peer analyser's options and takt's own.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace takt {

struct AnalyzeOptions {
  enum class Part { all, summary, device, host };
  enum class Aggregate { none, max, min, sum, mean };

  std::string file;
  long long top = 3;               ///< 0: all; negative: all but the last so many
  bool top_given = false;          ///< else data (CSV, JSON) has all rows
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
  std::string format = "table";              ///< takt's own: table, csv, json, markdown
  std::string output;                        ///< takt's own: a file instead of standard output
  std::vector<std::string> columns;          ///< takt's own: empty for the usual ones
  std::string log_file, log_level = "info";  ///< takt's own, as of other commands
};

}  // namespace takt
