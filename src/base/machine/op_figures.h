// Figures of one operator beyond its mean time, the same for `takt run` and `takt analyze`: the spread of its samples
// and where it stands under the roofline of the machine. Their columns are shown only when asked for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/machine/roofline.h"
#include "base/table/common_columns.h"
#include "base/table/table.h"

namespace takt {

struct OpFigures {
  std::optional<std::int64_t> samples;  ///< nullopt: only one figure is known, none of its samples
  std::optional<Duration> mean, stddev, min, p50, p90, p99, max;
  std::optional<double> intensity;  ///< FLOP per byte
  std::optional<Roofline> roofline;
  std::string impossible;  ///< rates that are above the measured peaks: "GFLOP/s"; empty: none
};

/// Everything that `samples`, `rate`, what the `model` touches and `peaks` (nullptr: not measured) settle. Pure.
OpFigures figures_of(std::span<const Duration> samples, const OpRate& rate, const WorkingSet& model,
                     const Peaks* peaks);

/// What a kernel multiplies, as far as its name or its operator's type tells: "brgconv_avx512_bf16", "QLinearConv";
/// float32 where neither says otherwise.
NumberType numbers_of(std::string_view kernel, std::string_view type);

/// A rate that cannot be says so; in tables of rows that have a member `figures`.
inline constexpr std::string_view impossible_column = "impossible";
template <typename Row>
inline constexpr Column<Row> impossible_rate_column{
    impossible_column, "Above peak",
    [](const Row& r) { return r.figures.impossible.empty() ? Cell() : Cell(r.figures.impossible); },
    "Rates of the row that are more than 5 % above the CPU's peaks as 'takt devices --measure' found them: the time is "
    "not that of the row's operators, or the machine was busy during the measurement. Empty if there are none or no "
    "peaks are known."};

/// Whether a row of the table has a rate that cannot be.
bool has_impossible_rates(const Table& table);
/// `names` with the column of impossible rates, if a row has one and some rate is shown.
std::vector<std::string> with_impossible_rates(std::vector<std::string> names, const Table& table);

/// Columns of any row that has a member `figures`.
template <typename Row>
inline constexpr Column<Row> figure_columns[] = {
    {"samples", "Samples", [](const Row& r) { return optional_cell(r.figures.samples); },
     "Number of runs, or infer requests, for which the operator's time is known individually."},
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
     "The measured limit that the operator is closest to: compute bound, memory bound, or overhead bound if it took "
     "more than 5 times the time that both allow, so that dispatch, synchronisation or a slow kernel dominates. Needs "
     "the peaks that 'takt devices --measure' stores."},
    {"memory_level", "Level",
     [](const Row& r) { return r.figures.roofline ? Cell(r.figures.roofline->memory_level) : Cell(); },
     "The level of memory whose bandwidth limits the operator in the roofline. Weights come from the closest level "
     "that fits the memory that one run of the whole model touches, activations from the closest that fits half of "
     "them; a closer level if the operator was faster than that level."},
    {"peak_share_percent", "Of roofline %",
     [](const Row& r) { return r.figures.roofline ? Cell(r.figures.roofline->peak_share * 100) : Cell(); },
     "Minimum time that the measured peaks allow the operator, as a share of the median of its samples; 100 is the "
     "roofline. The compute peak is that of the best instruction set for the number type in the kernel's name "
     "(float32, float16, bfloat16, int8; float32 if the name has none), the bandwidth is that of memory_level."},
};

/// Whether any of the names is one that needs peaks.
bool needs_peaks(std::span<const std::string> names);

}  // namespace takt
