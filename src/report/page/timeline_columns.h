// Events of a trace as a page draws them, and the columns of numbers that carry them: 5 to 8 bytes an event in the file.
//
// A row has levels, and the spans of a level never overlap. So a level is a list of steps, from the end of one span to the
// start of the next, and of lengths, both small numbers; names are places in a list whose first are the most frequent.
// Arrows are pairs of places among all spans, counters steps of time and differences of values.
// Each column holds the numbers of all levels, one after the other, seven bits a byte, the lowest first, with the eighth bit
// set on all bytes of a number but its last (LEB128): what the deflating of the page likes better than text, and what its
// script decodes in milliseconds.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/basics/units.h"

namespace takt {

/// `start_ns` counts from the timeline's begin, `name` is a place in ReportTimeline::names, `event` one among the trace's
/// events.
struct ReportSpan {
  std::uint64_t start_ns = 0, duration_ns = 0;
  std::uint32_t name = 0, event = 0;
};

/// In order of start; none overlaps the next.
using ReportLevel = std::vector<ReportSpan>;

/// A thread, or a stream of a device. Spans of a level lie inside those of levels before it, or beside them where events
/// of the row overlap.
struct ReportRow {
  std::string process, name;
  bool is_device = false;
  std::vector<ReportLevel> levels;
};

/// A kind of work with its colour ("k1", "copy", "wait-starved") and what the legend calls it.
struct ReportKind {
  std::string colour, label;
};

struct ReportName {
  std::string text;
  std::uint32_t kind = 0;  ///< a place in ReportTimeline::kinds
};

/// An arrow from one event to another: from the call that launches work to the work.
struct ReportFlow {
  std::uint32_t from = 0, to = 0;                       ///< ReportSpan::event of both
  auto operator<=>(const ReportFlow&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// The value of a counter from `time_ns` on, which counts from the timeline's begin.
struct ReportSample {
  std::uint64_t time_ns = 0;
  double value = 0;
};

struct ReportCounter {
  std::string process, name;
  std::vector<ReportSample> samples;  ///< by time
};

/// A trace among several that a timeline has side by side.
struct ReportRank {
  std::string file;
  std::int64_t begin_ns = 0;  ///< what its times say at the timeline's begin
};

struct ReportTimeline {
  Nanoseconds begin{};          ///< of the earliest event, from the trace's base time
  std::uint64_t length_ns = 0;  ///< to the end of the latest one
  std::vector<ReportKind> kinds;
  std::vector<ReportName> names;
  std::vector<ReportRow> rows;
  std::vector<ReportFlow> flows;
  std::vector<ReportCounter> counters;
  std::vector<ReportRank> ranks{};  ///< none: it is of one trace
  std::uint64_t left_out = 0;       ///< spans that the page has no room for
  std::string note;                 ///< what to know of it: that spans are left out; or empty

  std::uint64_t spans() const;
};

/// Returns what a page says of the timeline; its columns are put behind `bytes`, and "columns" says where each begins.
/// Times are in "unit_ns", the largest unit of which all are multiples. Arrows whose ends are not both there are left out.
nlohmann::json timeline_json(const ReportTimeline& timeline, std::string& bytes);

}  // namespace takt
