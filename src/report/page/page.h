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
  std::string view;         ///< what stands together: "devices", "path"; empty: a figure of its own
  std::string title;        ///< "A mean plain run, by type of operator"
  std::string whole_label;  ///< "= 90.0 µs, the mean plain run"
  Duration whole{};
  std::vector<ReportPart> parts;
};

/// A stage against the beat of its pipeline.
struct ReportStation {
  std::string name, devices, kind;  ///< kind: its colour
  Duration load{};                  ///< per batch
  std::optional<Duration> spare;    ///< until it would set the beat; none: it does, or the beat has another cause
  std::optional<Duration> queue_wait, held;
  std::vector<ReportPart> parts;  ///< of a stage on several devices: the part of the load that each takes
};

struct ReportBoard {
  std::optional<Duration> cycle;
  std::vector<ReportStation> stations;  ///< in the order of the pipeline
  std::string binds;                    ///< "bound by stage infer, in 90 of 90 laps"; or empty
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

/// An operator in the order of execution, and the bytes that results of operators hold while it runs.
struct ReportStep {
  std::string name, type, kind;
  Duration time{};
  std::optional<std::int64_t> alive;
  std::vector<std::size_t> reads{};    ///< the earlier steps whose results it reads, each once
  std::size_t level = 0;               ///< one above the highest of those
  bool on_chain = false;               ///< of the longest chain, each of which reads the one before
  std::optional<std::size_t> block{};  ///< the innermost that it is in; none: of the model itself
};

/// Operators of a large model that stand together: those of a layer.
struct ReportBlock {
  std::string name;
  std::optional<std::size_t> parent;  ///< the block around it, which is earlier
  std::size_t steps = 0;              ///< operators, also of blocks inside
  Duration time{};                    ///< of all of them
};

/// A limit of the machine: of a type of number in 10^9 operations per second, or of a level of memory in 10^9 bytes.
struct ReportRoof {
  std::string label;  ///< "float32", "DRAM"
  bool is_memory = false;
  double giga_per_s = 0;
};

/// A measured size of a sweep, and what the fitted law has there.
struct ReportPoint {
  std::string stage, unit;
  std::int64_t nodes = 0, edges = 0;
  Duration measured{};
  std::optional<Duration> law, law_low, law_high;
};

/// Something that a reader may turn: its values as `key`=VALUE takes them, and the one that is as recorded.
struct ReportKnob {
  std::string key, label;  ///< "stage.infer.time", "time"
  std::vector<std::string> values;
  std::size_t recorded = 0;
};

/// Answers computed beforehand: a row of `answers` for each setting of the knobs, those of the last knob next to each other.
struct ReportWhatIf {
  std::string name;  ///< the stage; "source"
  std::vector<ReportKnob> knobs;
  ReportTable answers;
};

/// What a recorded pipeline would do with changes.
struct ReportAnswers {
  std::vector<ReportWhatIf> groups;  ///< of knobs that are turned together
  std::string command;               ///< that gives the same answers, without its changes
  std::string title;                 ///< what the most obvious change would bring; or empty
  std::string missing;               ///< why there is no group; or empty
};

/// A view's deciding sentence. `view`: "board", "devices", "latency".
struct ReportTitle {
  std::string view, sentence;
};

/// A tab.
struct ReportResult {
  std::string name;            ///< the file's
  std::string headline, lede;  ///< the deciding sentence; the second, or empty
  std::vector<OriginEntry> origin;
  std::vector<ReportFact> facts;
  std::optional<ReportBoard> board;
  std::vector<ReportBar> bars;
  std::vector<Duration> runs;         ///< in the order taken; empty: not kept
  std::vector<ReportMark> run_marks;  ///< percentiles that so many runs carry
  std::optional<ReportTimeline> timeline;
  std::vector<ReportStep> steps;      ///< of one run; empty: their order is not known
  std::vector<ReportBlock> blocks{};  ///< of a large model's steps
  std::vector<ReportRoof> roofs;      ///< of the roofline; none: not known
  std::vector<ReportPoint> points;
  ReportAnswers what_if;
  std::vector<ReportTitle> titles;
  std::vector<std::string> missing;  ///< what the result lacks, and the command that makes it
  std::vector<ReportTable> tables;
};

/// The whole page. `command` is what made it, as typed.
std::string page_html(const std::vector<ReportResult>& results, const std::string& command);

/// What the page carries, before it is packed: JSON and, behind a NUL, the columns of its timelines. For tests.
std::string page_data(const std::vector<ReportResult>& results, const std::string& command);

}  // namespace takt
