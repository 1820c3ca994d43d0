#include "machine/op_figures.h"

#include <algorithm>

#include "core/statistics.h"
#include "core/text.h"

namespace takt {

OpFigures figures_of(std::span<const Duration> samples, const OpRate& rate, const Peaks* peaks) {
  OpFigures figures;
  figures.intensity = intensity(rate);
  if (peaks) figures.roofline = roofline(rate, *peaks);
  if (const auto summary = summarize(samples)) {
    figures.samples = static_cast<std::int64_t>(summary->count);
    figures.mean = summary->mean;
    figures.stddev = summary->stddev;
    figures.min = summary->min, figures.max = summary->max;
    figures.p50 = summary->median, figures.p90 = summary->p90, figures.p99 = summary->p99;
  }
  return figures;
}

bool is_bf16_kernel(std::string_view kernel) { return lower_case(kernel).find("bf16") != std::string::npos; }

bool needs_peaks(std::span<const std::string> names) {
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name == "all" || name == "roofline" || name.starts_with("peak_share");
  });
}

}  // namespace takt
