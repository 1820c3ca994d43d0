// The timeline of a page, made of a trace.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "report/page/page.h"
#include "trace/events/trace.h"

namespace takt {

/// What a page shows at most of all its traces together: it opens in seconds, and is sent by mail.
inline constexpr std::uint64_t most_report_spans = 1'000'000;

/// Returns every event of the trace, by the rows that have any, in the order in which viewers put them. Events that are
/// named like one of `stages`, those of a pipeline in their order, have the stage's colour, others that of their work.
ReportTimeline timeline_of(const Trace& trace, std::span<const std::string> stages = {});

/// The same for a page; nullopt: no row has an event.
std::optional<ReportTimeline> shown_timeline(const Trace& trace, std::span<const std::string> stages = {});

/// Keeps the `most` longest spans of all timelines together, of equal ones the first, and says in their notes how many
/// are left out, and how long those are at most. Of values of counters, too, at most so many are kept.
void keep_longest(std::span<ReportResult> results, std::uint64_t most = most_report_spans);

}  // namespace takt
