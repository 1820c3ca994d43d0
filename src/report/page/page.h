// What a page of `takt report` shows, and the page itself. The page computes nothing: sentences, sums and shares of the
// bars are here, tables are those of the results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/table/table.h"
#include "report/page/timeline_columns.h"

namespace takt {

/// A part of a time. `kind` names its colour on every page: k0 to k6 for families of work, busy, copy, …, wait-starved, … for
/// where a device's time goes (web/src/style.css).
struct ReportPart {
  std::string label, kind;
  Duration time{};
};

/// Parts along one axis that end with "= the whole".
struct ReportBar {
  std::string title;        ///< "A mean plain run, by type of operator"
  std::string whole_label;  ///< "= 90.0 µs, the mean plain run"
  Duration whole{};
  std::vector<ReportPart> parts;
};

/// A figure under the headline, with the column that it is from.
struct ReportFact {
  ColumnSchema column;
  Cell value;
};

/// A table with what its schema says of it.
struct ReportTable {
  TableSchema schema;  ///< columns as in the table
  Table table;
};

/// "machine", "Intel …".
struct OriginEntry {
  std::string label, value;
};

/// A figure of the runs that is marked among them: "p90".
struct ReportMark {
  std::string label;
  Duration time{};
};

/// A tab.
struct ReportResult {
  std::string name;            ///< the file's
  std::string headline, lede;  ///< the deciding sentence; the second, or empty
  std::vector<OriginEntry> origin;
  std::vector<ReportFact> facts;
  std::vector<ReportBar> bars;
  std::vector<Duration> runs;         ///< in the order taken; empty: not kept
  std::vector<ReportMark> run_marks;  ///< percentiles that so many runs carry
  std::optional<ReportTimeline> timeline;
  std::vector<std::string> missing;  ///< what the result lacks, and the command that makes it
  std::vector<ReportTable> tables;
};

/// The whole page. `command` is what made it, as typed.
std::string page_html(const std::vector<ReportResult>& results, const std::string& command);

/// What the page carries, before it is packed: JSON and, behind a NUL, the columns of its timelines. For tests.
std::string page_data(const std::vector<ReportResult>& results, const std::string& command);

}  // namespace takt
