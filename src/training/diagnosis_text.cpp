#include <fmt/format.h>

#include <algorithm>

#include "base/basics/text.h"
#include "training/diagnosis/tables.h"
#include "training/steps/long_step.h"

namespace takt {
namespace {

std::string how_found(const Steps& steps) {
  const std::size_t count = steps.list.size();
  const std::string number = fmt::format("{} step{}", count, count == 1 ? "" : "s");
  const std::string ends = steps.left_out_ends ? "; what lies before and after them is left out" : "";
  switch (steps.source) {
    case StepSource::marks:
      return number + ", by their marks";
    case StepSource::kernels:
      return number + ", found without marks by the kernels that come again and again" + ends;
    case StepSource::operators:
      return number + ", found without marks by the operators that come again and again" + ends;
    case StepSource::none:
      break;
  }
  return "no steps: there are no marks, and nothing comes again and again; the whole trace counts as one";
}

std::string verdict_text(const Diagnosis& one, const PlacedVerdict& placed, std::size_t rank, std::size_t width) {
  const TrainingVerdict& verdict = placed.verdict;
  const double per_step = static_cast<double>(verdict.total()) / 1000 /
                          static_cast<double>(std::max<std::size_t>(1, one.steps.list.size()));
  std::string head = fmt::format("{}. {}", rank, name_of(verdict.cause));
  if (verdict.total() > 0) {
    head += fmt::format(
        ": {} per step, {:.1f} % of it; without, {:.2f} times as fast", format_duration(Duration(per_step)),
        100 * static_cast<double>(verdict.total()) / static_cast<double>(one.breakdown.total), one.speed_up(verdict));
  }
  std::string text = wrapped(head, width, 3) + "\n";
  const auto line = [&](const std::string& words) { text += "   " + wrapped(words, width, 3) + "\n"; };
  line(verdict.evidence);
  if (!placed.steps.empty()) line("In steps " + ranges_text(placed.steps) + ".");
  line(verdict.fix);
  return text;
}

std::string long_step_text(const Diagnosis& one, std::size_t width) {
  const auto step = find_long_step(one.steps, one.breakdown);
  if (!step) return "";
  return wrapped(fmt::format("Step {} took {}, {:.1f} times as long as most; {:.0f} % of it was {}. One step alone is "
                             "counted as no cause: trace more steps to see whether it comes again.",
                             step->number, format_duration(Duration(static_cast<double>(step->length) / 1000)),
                             step->times, step->share * 100, name_of(step->part)),
                 width) +
         "\n";
}

std::string abstentions_text(const Diagnosis& one, std::size_t width) {
  std::string text;
  if (one.steps.source == StepSource::none) return "Not looked for: any cause, for want of steps.\n";
  for (const Abstention& abstention : one.abstentions)
    text += "   " +
            wrapped(fmt::format("{}: the trace lacks {}", name_of(abstention.cause), abstention.missing), width, 5) +
            "\n";
  return text.empty() ? text : "Not looked for:\n" + text;
}

}  // namespace

std::string diagnosis_text(std::span<const Diagnosis> diagnoses, const TextStyle& style) {
  std::string text;
  for (const Diagnosis& one : diagnoses) {
    const std::vector<Table> tables = diagnosis_tables(std::span(&one, 1));
    const double mean = static_cast<double>(one.breakdown.total) / 1000 /
                        static_cast<double>(std::max<std::size_t>(1, one.steps.list.size()));
    text += text.empty() ? "" : "\n";
    text += wrapped(fmt::format("{}{}: {}; {} each on average.", printable(one.file),
                                one.rank ? fmt::format(" (rank {})", *one.rank) : "", how_found(one.steps),
                                format_duration(Duration(mean))),
                    style.width) +
            "\n\n";
    text +=
        to_text(some_columns(table_named(tables, "breakdown"), {"spent_on", "mean_per_step_us", "step_share"}), style) +
        "\n";
    for (std::size_t i = 0; i < one.verdicts.size(); ++i)
      text += verdict_text(one, one.verdicts[i], i + 1, style.width);
    if (one.is_healthy())
      text += "Healthy: every rule looked, and found nothing to mend.\n";
    else if (one.verdicts.empty())
      text += "No cause found.\n";
    text += long_step_text(one, style.width) + abstentions_text(one, style.width);
  }
  return text;
}

}  // namespace takt
