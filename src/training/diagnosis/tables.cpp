#include "training/diagnosis/tables.h"

#include <fmt/format.h>

#include "base/table/common_columns.h"

namespace takt {
namespace {

struct VerdictRow {
  const Diagnosis* diagnosis;
  const PlacedVerdict* placed;
  std::int64_t rank;
};
struct PartRow {
  const Diagnosis* diagnosis;
  StepPart part;
};
struct StepRow {
  const Diagnosis* diagnosis;
  std::size_t position;
};
struct AbstentionRow {
  const Diagnosis* diagnosis;
  const Abstention* abstention;
};

#define TAKT_CAUSE(cause, meaning) #cause meaning
#define TAKT_RULE(cause, meaning, look) #cause meaning
constexpr ColumnText cause_of_slow_steps{"cause", "Cause", "Why training steps are slow: "
#include "training/diagnosis/causes.inc"
};
#undef TAKT_CAUSE
#undef TAKT_RULE
constexpr ColumnText step_share_of_cause{"step_share", "Step share", step_share_meaning};

double steps_of(const Diagnosis& one) { return static_cast<double>(std::max<std::size_t>(1, one.steps.list.size())); }
double share_of(const Diagnosis& one, std::int64_t time) {
  return one.breakdown.total == 0 ? 0 : static_cast<double>(time) / static_cast<double>(one.breakdown.total);
}
Cell rank_cell(const Diagnosis& one) { return optional_cell(one.rank); }

constexpr ColumnText rank_of_training{
    "rank_of_training", "Training rank",
    "Number of the process in a distributed training; empty if the trace does not report it."};

constexpr Column<VerdictRow> verdict_columns[] = {
    {common::trace_file, [](const VerdictRow& r) -> Cell { return r.diagnosis->file; }},
    {common::rank, [](const VerdictRow& r) -> Cell { return r.rank; }},
    {cause_of_slow_steps, [](const VerdictRow& r) -> Cell { return std::string(name_of(r.placed->verdict.cause)); }},
    {step_share_of_cause,
     [](const VerdictRow& r) -> Cell { return share_of(*r.diagnosis, r.placed->verdict.total()); }},
    {"saved_ms_per_step", "Saved ms",
     [](const VerdictRow& r) -> Cell {
       return static_cast<double>(r.placed->verdict.total()) / 1e6 / steps_of(*r.diagnosis);
     },
     "Mean time in ms per step that fixing the cause would save."},
    {"speed_up_if_removed", "Speed-up",
     [](const VerdictRow& r) -> Cell { return r.diagnosis->speed_up(r.placed->verdict); },
     "Speed-up of the steps without the cause, if all else stays as it is: the time of all steps divided by the time "
     "that remains without the cause."},
    {"in_steps", "In steps", [](const VerdictRow& r) -> Cell { return ranges_text(r.placed->steps); },
     "Numbers of the affected steps: those in which the cause costs at least half of what it costs in the most "
     "affected third."},
    {"from_ns", "From ns", [](const VerdictRow& r) -> Cell { return r.placed->span.start; },
     "Start of the first step concerned, in nanoseconds from the trace's base time."},
    {"to_ns", "To ns", [](const VerdictRow& r) -> Cell { return r.placed->span.end; },
     "End of the last step concerned, in nanoseconds from the trace's base time."},
    {rank_of_training, [](const VerdictRow& r) { return rank_cell(*r.diagnosis); }},
    {common::evidence, [](const VerdictRow& r) -> Cell { return r.placed->verdict.evidence; }},
    {common::fix, [](const VerdictRow& r) -> Cell { return r.placed->verdict.fix; }},
};

constexpr Column<PartRow> part_columns[] = {
    {common::trace_file, [](const PartRow& r) -> Cell { return r.diagnosis->file; }},
    {"spent_on", "Activity", [](const PartRow& r) -> Cell { return std::string(name_of(r.part)); }, activity_meaning},
    {"mean_per_step_us", "Per step",
     [](const PartRow& r) -> Cell {
       return Duration(static_cast<double>(r.diagnosis->breakdown.sum(r.part)) / 1000 / steps_of(*r.diagnosis));
     },
     "Mean time per training step; the activities add up to the mean step."},
    {step_share_of_cause, [](const PartRow& r) -> Cell { return r.diagnosis->breakdown.share(r.part); }},
    {"means", "Meaning", [](const PartRow& r) -> Cell { return std::string(meaning_of(r.part)); },
     "Description of the activity."},
};

template <StepPart part>
Cell part_cell(const StepRow& r) {
  constexpr auto at = static_cast<std::size_t>(part);
  if (!r.diagnosis->breakdown.applies[at]) return {};
  return Duration(Nanoseconds(r.diagnosis->breakdown.by_step[r.position][at]));
}

constexpr Column<StepRow> step_columns[] = {
    {common::trace_file, [](const StepRow& r) -> Cell { return r.diagnosis->file; }},
    {"step_number", "Step", [](const StepRow& r) -> Cell { return r.diagnosis->steps.list[r.position].number; },
     "Number of the training step, from its ProfilerStep marker; counted from 0 if the trace has no markers."},
    {"found_by", "Detected by",
     [](const StepRow& r) -> Cell { return std::string(name_of(r.diagnosis->steps.source)); },
     "How the training step was detected: marks (ProfilerStep markers), kernels or operators (from their repetition), "
     "optimizer (calls of the optimizer), loader (waits for batches), annotation (passes of the model that an "
     "annotation spans), none (the whole trace counts as one)."},
    {"from_ns", "From ns", [](const StepRow& r) -> Cell { return r.diagnosis->steps.list[r.position].span.start; },
     "Start of the first step concerned, in nanoseconds from the trace's base time."},
    {"step_time_us", "Step time",
     [](const StepRow& r) -> Cell {
       const TimeInterval span = r.diagnosis->steps.list[r.position].span;
       return Duration(Nanoseconds(span.end - span.start));
     },
     "Time of the training step, all activities together."},
    {"kernel_us", "Kernel", part_cell<StepPart::kernel>, "Time of the step in which a device computes."},
    {"memory_copy_us", "Copy", part_cell<StepPart::memory_copy>,
     "Time of the step in which a device copies or fills memory and computes nothing."},
    {"communication_us", "Communication", part_cell<StepPart::communication>,
     "Time of the step in which data moves between ranks and nothing else runs on a device."},
    {"launch_us", "Launch", part_cell<StepPart::launch>,
     "Time of the step in which the program calls the device runtime, and no device works."},
    {"synchronisation_us", "Sync", part_cell<StepPart::synchronisation>,
     "Time of the step in which the program waits for a device that is already idle."},
    {"data_wait_us", "Data wait", part_cell<StepPart::data_wait>,
     "Time of the step in which the training loop waits for its next batch, and no device works."},
    {"host_compute_us", "Operators", part_cell<StepPart::host_compute>,
     "Time of the step in which operators run in the program, and no device works."},
    {"other_us", "Other", part_cell<StepPart::idle>,
     "Time of the step in which only the program's own code runs, or nothing."},
};

constexpr Column<AbstentionRow> abstention_columns[] = {
    {common::trace_file, [](const AbstentionRow& r) -> Cell { return r.diagnosis->file; }},
    {cause_of_slow_steps, [](const AbstentionRow& r) -> Cell { return std::string(name_of(r.abstention->cause)); }},
    {"missing", "Needs", [](const AbstentionRow& r) -> Cell { return r.abstention->missing; },
     "Data that is needed to evaluate the cause and that the trace does not have."},
};

constexpr TableDefinition<VerdictRow> verdicts_definition{
    "verdicts",
    "Why training steps are slow, most expensive cause first: a row per trace and cause; empty if nothing is wrong.",
    verdict_columns};
constexpr TableDefinition<PartRow> breakdown_definition{
    "breakdown",
    "Where the time of training steps goes: a row per trace and activity that the trace can show; the rows add up to "
    "the steps.",
    part_columns};
constexpr TableDefinition<StepRow> steps_definition{"steps", "Each training step by activity: a row per step.",
                                                    step_columns};
constexpr TableDefinition<AbstentionRow> abstentions_definition{
    "abstentions", "Causes that could not be evaluated: a row per trace and cause.", abstention_columns};

}  // namespace

std::vector<Table> diagnosis_tables(std::span<const Diagnosis> diagnoses) {
  std::vector<VerdictRow> verdicts;
  std::vector<PartRow> parts;
  std::vector<StepRow> steps;
  std::vector<AbstentionRow> abstentions;
  for (const Diagnosis& one : diagnoses) {
    std::int64_t rank = 0;
    for (const PlacedVerdict& placed : one.verdicts) verdicts.push_back({&one, &placed, ++rank});
    for (std::size_t i = 0; i < step_part_count; ++i) {
      if (one.breakdown.applies[i]) parts.push_back({&one, static_cast<StepPart>(i)});
    }
    for (std::size_t i = 0; i < one.steps.list.size(); ++i) steps.push_back({&one, i});
    for (const Abstention& abstention : one.abstentions) abstentions.push_back({&one, &abstention});
  }
  return {verdicts_definition.make(verdicts), breakdown_definition.make(parts), steps_definition.make(steps),
          abstentions_definition.make(abstentions)};
}

std::vector<TableSchema> diagnosis_schemas() {
  return {verdicts_definition.schema(), breakdown_definition.schema(), steps_definition.schema(),
          abstentions_definition.schema()};
}

std::string ranges_text(std::span<const std::int64_t> numbers) {
  constexpr int most_ranges = 8;
  std::string text;
  int ranges = 0;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (ranges++ == most_ranges) return text + ", …";
    text += text.empty() ? "" : ", ";
    text += last == i ? fmt::format("{}", numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace takt
