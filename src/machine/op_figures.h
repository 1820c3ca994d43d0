// Figures of one operator beyond its mean time, the same for `takt run` and `takt analyze`: the spread of its samples
// and where it stands under the roofline of the machine. Their columns are shown only when asked for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/common_columns.h"
#include "core/table.h"
#include "machine/roofline.h"

namespace takt {

struct OpFigures {
  std::optional<std::int64_t> samples;  ///< nullopt: only one figure is known, none of its samples
  std::optional<Duration> mean, stddev, min, p50, p90, p99, max;
  std::optional<double> intensity;  ///< FLOP per byte
  std::optional<Roofline> roofline;
};

/// Everything that `samples`, `rate` and `peaks` (nullptr: not measured) settle. Pure.
OpFigures figures_of(std::span<const Duration> samples, const OpRate& rate, const Peaks* peaks);

/// Whether a kernel's name says that it multiplies bfloat16: "brgconv_avx512_bf16".
bool is_bf16_kernel(std::string_view kernel);

/// Columns of any row that has a member `figures`.
template <typename Row>
inline constexpr Column<Row> figure_columns[] = {
    {"samples", "Samples", [](const Row& r) { return optional_cell(r.figures.samples); },
     "Runs, or infer requests, of which the operator's time is known one by one."},
    {common::mean_us, [](const Row& r) { return optional_cell(r.figures.mean); }},
    {common::stddev_us, [](const Row& r) { return optional_cell(r.figures.stddev); }},
    {common::min_us, [](const Row& r) { return optional_cell(r.figures.min); }},
    {"p50_us", "p50", [](const Row& r) { return optional_cell(r.figures.p50); },
     "Half of the operator's samples took less time."},
    {common::p90_us, [](const Row& r) { return optional_cell(r.figures.p90); }},
    {common::p99_us, [](const Row& r) { return optional_cell(r.figures.p99); }},
    {common::max_us, [](const Row& r) { return optional_cell(r.figures.max); }},
    {"intensity_flop_per_byte", "FLOP/B", [](const Row& r) { return optional_cell(r.figures.intensity); },
     "Arithmetic intensity: floating-point operations per byte read and written."},
    {"roofline", "Roofline",
     [](const Row& r) {
       return r.figures.roofline ? Cell(std::string(bound_name(r.figures.roofline->bound))) : Cell();
     },
     "The measured limit that the operator is nearest to: compute bound, memory bound, or overhead bound where it took "
     "more than 5 times what both allow, so that dispatch, synchronisation or a slow kernel decides. Needs the peaks "
     "that 'takt devices --measure' keeps."},
    {"peak_share_percent", "Peak %",
     [](const Row& r) { return r.figures.roofline ? Cell(r.figures.roofline->peak_share * 100) : Cell(); },
     "The least time that the measured peaks allow the operator, as a share of the time it took; 100 is the roof. "
     "Peaks are float32's, or bfloat16's for kernels that say so; bandwidth is that of the memory level which holds "
     "half of the operator's bytes."},
};

/// Whether any of the names is one that needs peaks.
bool needs_peaks(std::span<const std::string> names);

}  // namespace takt
