#include <fmt/format.h>

#include <algorithm>

#include "base/basics/text.h"
#include "training/diagnosis/tables.h"
#include "training/steps/long_step.h"

namespace takt {
namespace {

std::string how_found(const Steps& steps, const std::string& pass, bool is_xla) {
  const std::size_t count = steps.list.size();
  const std::string number = fmt::format("{} step{}", count, count == 1 ? "" : "s");
  const std::string ends = steps.left_out_ends ? "; the time before and after them is excluded" : "";
  switch (steps.source) {
    case StepSource::marks:
      return number + (is_xla ? " (StepTraceAnnotation markers)" : " (ProfilerStep markers)");
    case StepSource::kernels:
      return number + ", detected without ProfilerStep markers from repeating kernels" + ends;
    case StepSource::operators:
      return number + ", detected without ProfilerStep markers from repeating operators" + ends;
    case StepSource::optimizer:
      return number + ", detected without ProfilerStep markers from calls of the optimizer" + ends;
    case StepSource::loader:
      return number + ", detected without ProfilerStep markers from waits for batches";
    case StepSource::annotation:
      return fmt::format("{} of the model{}", count == 1 ? "one pass" : fmt::format("{} passes", count),
                         pass.empty() ? "" : fmt::format(" ({})", printable(pass)));
    case StepSource::none:
      break;
  }
  return "no steps: the trace has no ProfilerStep markers, and nothing repeats; the whole trace counts as one";
}

std::string verdict_text(const Diagnosis& one, const PlacedVerdict& placed, std::size_t rank, std::size_t width) {
  const TrainingVerdict& verdict = placed.verdict;
  const double per_step = static_cast<double>(verdict.total()) / 1000 /
                          static_cast<double>(std::max<std::size_t>(1, one.steps.list.size()));
  std::string head = fmt::format("{}. {}", rank, name_of(verdict.cause));
  if (verdict.total() > 0) {
    head += fmt::format(": {} per step ({:.1f} %), up to {:.2f}x faster if fixed", format_duration(Duration(per_step)),
                        100 * static_cast<double>(verdict.total()) / static_cast<double>(one.breakdown.total),
                        one.speed_up(verdict));
  }
  std::string text = wrapped(head, width, 3) + "\n";
  const auto line = [&](const std::string& words) { text += "   " + wrapped(words, width, 3) + "\n"; };
  line(verdict.evidence);
  if (!placed.steps.empty()) line("Affected steps: " + ranges_text(placed.steps) + ".");
  line(verdict.fix);
  return text;
}

std::string long_step_text(const Diagnosis& one, std::size_t width) {
  const auto step = find_long_step(one.steps, one.breakdown);
  if (!step) return "";
  return wrapped(
             fmt::format(
                 "Step {} took {}, {:.1f}x the typical step; {:.0f} % of it was {}. A single slow step is not reported "
                 "as a cause: trace more steps to see whether it repeats.",
                 step->number, format_duration(Duration(static_cast<double>(step->length) / 1000)), step->times,
                 step->share * 100, name_of(step->part)),
             width) +
         "\n";
}

std::string numbers_of(const std::vector<TrainingStep>& steps) {
  std::vector<std::int64_t> numbers;
  for (const TrainingStep& step : steps) numbers.push_back(step.number);
  return ranges_text(numbers);
}

/// What the figures do not show: steps that were set apart, times that cannot be trusted, and what has no cause.
std::string remarks_text(const Diagnosis& one, std::size_t width) {
  constexpr double worth_saying = 0.10;
  std::string text;
  const auto add = [&](const std::string& words) { text += wrapped(words, width) + "\n"; };
  if (!one.steps.unrecorded.empty())
    add(std::string("Left out: ") + (one.steps.unrecorded.size() == 1 ? "step " : "steps ") +
        numbers_of(one.steps.unrecorded) + ", whose device work is not in the trace.");
  if (one.steps.lost_share >= worth_saying)
    add(
        fmt::format("Of the calls that launch work, {:.0f} % have none in the trace: the profiler lost it, and the "
                    "device was busier than it seems.",
                    100 * one.steps.lost_share));
  if (one.steps.device_lead > 0)
    add(fmt::format(
        "The device's work begins up to {} before the calls that launched it: the clocks of device and program "
        "differ. So which of its gaps have which cause is not known; step times are those of the program. Record "
        "again, or shift the rows of the device by that time.",
        format_duration(Duration(static_cast<double>(one.steps.device_lead) / 1000))));
  else if (one.steps.is_misplaced)
    add("The device's work lies behind the calls that waited for it, so its times cannot be assigned to steps; step "
        "times are those of the program.");
  constexpr double much_of_computing = 0.3;
  if (one.plain_products.share >= much_of_computing)
    add(fmt::format(
        "Precision: {:.0f} % of the time of kernels is products in float32 that leave the matrix units (tensor "
        "cores) unused, most in {}: try mixed precision (autocast) or TF32.",
        100 * one.plain_products.share, printable(one.plain_products.longest)));
  if (one.layout_share >= worth_saying)
    add(fmt::format(
        "Layout: {:.0f} % of the time of kernels turns pictures from NCHW into NHWC or back: keep the network and its "
        "inputs in channels_last.",
        100 * one.layout_share));
  if (one.unexplained >= worth_saying && one.steps.source != StepSource::none)
    add(fmt::format(
        "Unexplained: for {:.0f} % of the time {}, at changing places or for no recorded reason. On a busy "
        "machine these are interruptions; otherwise {}.",
        100 * one.unexplained,
        one.breakdown.applies[static_cast<std::size_t>(StepPart::kernel)] ? "no device works" : "no operator runs",
        one.is_xla ? "name parts of the loop with TraceAnnotation()" : "record with with_stack=True"));
  return text;
}

std::string abstentions_text(const Diagnosis& one, std::size_t width) {
  std::string text;
  if (one.steps.source == StepSource::none) return "No rule was evaluated: the trace has no training steps.\n";
  for (const Abstention& abstention : one.abstentions)
    text +=
        "   " + wrapped(fmt::format("{}: needs {}", name_of(abstention.cause), abstention.missing), width, 5) + "\n";
  return text.empty() ? text : "Not evaluated:\n" + text;
}

std::string verdicts_text(const Diagnosis& one, std::size_t width) {
  if (one.is_healthy()) return "Healthy: all rules were evaluated and found no problem.\n";
  if (one.verdicts.empty()) return "No cause found.\n";
  std::string text;
  for (std::size_t i = 0; i < one.verdicts.size(); ++i) text += verdict_text(one, one.verdicts[i], i + 1, width);
  return text;
}

std::string name_of_file(const Diagnosis& one) {
  return printable(one.file) + (one.rank ? fmt::format(" (rank {})", *one.rank) : "");
}

/// Where the time of a step goes, whatever the verdicts.
std::string breakdown_text(const Diagnosis& one, const TextStyle& style) {
  const double mean = static_cast<double>(one.breakdown.total) / 1000 /
                      static_cast<double>(std::max<std::size_t>(1, one.steps.list.size()));
  const std::string steps = fmt::format("{}: {}; {} per step on average.", name_of_file(one),
                                        how_found(one.steps, one.pass, one.is_xla), format_duration(Duration(mean)));
  const std::vector<Table> tables = diagnosis_tables(std::span(&one, 1));
  return wrapped(steps, style.width) + "\n\n" +
         to_text(some_columns(table_named(tables, "breakdown"), {"spent_on", "mean_per_step_us", "step_share"}), style);
}

/// What slows all ranks, before what each has.
std::string job_text(std::span<const Diagnosis> diagnoses, std::size_t width) {
  for (const Diagnosis& one : diagnoses) {
    for (const PlacedVerdict& placed : one.verdicts) {
      const TrainingVerdict& verdict = placed.verdict;
      const bool is_of_all = verdict.cause == TrainingCause::straggler || verdict.cause == TrainingCause::uneven_ranks;
      if (!is_of_all || verdict.is_elsewhere) continue;
      const double per_step = static_cast<double>(verdict.total()) / 1000 /
                              static_cast<double>(std::max<std::size_t>(1, one.steps.list.size()));
      return wrapped(fmt::format("All {} ranks: {}: {}. {} per step, up to {:.2f}x faster if fixed.", diagnoses.size(),
                                 name_of(verdict.cause), verdict.evidence, format_duration(Duration(per_step)),
                                 one.speed_up(verdict)),
                     width) +
             "\n\n";
    }
  }
  return "";
}

}  // namespace

std::string diagnosis_text(std::span<const Diagnosis> diagnoses, const TextStyle& style) {
  std::string text = job_text(diagnoses, style.width);
  const bool has_job = !text.empty();
  for (const Diagnosis& one : diagnoses) {
    text += text.empty() || (has_job && &one == diagnoses.data()) ? "" : "\n";
    if (diagnoses.size() > 1) text += name_of_file(one) + "\n";
    text += verdicts_text(one, style.width) + long_step_text(one, style.width) + remarks_text(one, style.width) + "\n" +
            breakdown_text(one, style);
    const std::string abstentions = abstentions_text(one, style.width);
    text += abstentions.empty() ? "" : "\n" + abstentions;
  }
  return text;
}

}  // namespace takt
