// One model in several ways, or several models: which way is fastest, told apart from noise.
//
// All variants are open at once and take turns, block by block, forwards and backwards: what disturbs the machine meets
// all alike, and a ratio is that of neighbouring blocks.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/statistics/statistics.h"
#include "base/table/table.h"
#include "measure/open/run_settings.h"

namespace takt {

/// What differs between variants, the same options in each: {{"threads", "2"}, {"runtime", "openvino"}}.
using Variation = std::vector<std::pair<std::string, std::string>>;
std::string to_string(const Variation& variation);  ///< "threads=2 runtime=openvino"

struct Variant {
  Variation differs;
  std::filesystem::path model;
  RunSettings settings;  ///< `iterations`, `time` and the warm-up are those of the whole, shared out among the blocks
};

/// How a variant compares with the fastest one.
enum class Standing { fastest, within_noise, slower };

struct VariantRow {
  Variation differs;
  std::string runtime, device;
  std::optional<std::string> failure;  ///< one sentence: why there are no figures
  std::vector<std::string> notes;
  Nanoseconds load_time{};
  std::size_t runs = 0;
  std::optional<Duration> median, p99;  ///< of a run; with several requests in flight, of their latencies
  std::optional<double> per_second;     ///< runs; the median over the blocks
  std::optional<double> ratio;          ///< of its time per run to that of the first variant that ran; missing for that
  std::optional<Interval> interval;     ///< of `ratio`, 95 % for all variants together
  std::optional<Standing> standing;     ///< missing where there are too few blocks to tell, and nothing to compare with
};

struct VaryResult {
  std::vector<VariantRow> rows;               ///< in the order of the variants
  std::optional<std::size_t> first, fastest;  ///< of `rows`: that ran; missing where none did
  bool per_item = false;                      ///< ratios are of times divided by the batch size, which differs
  bool stopped = false;
};

/// Told between blocks.
using VaryProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// A variant that fails has a row with the reason; the others go on without it.
VaryResult measure_variants(const std::vector<Variant>& variants, const VaryProgress& progress = {});

/// Times per run (or item) of all variants, a column per round, in microseconds: fills ratio, interval and standing of
/// the rows that have times. For measure_variants() and its tests.
void compare_variants(VaryResult& result, const std::vector<std::vector<double>>& times);

/// "variants": a row each.
Table variants_table(const VaryResult& result);
TableSchema variants_schema();

/// The report for people, at most 80 columns.
std::string to_text(const VaryResult& result);

}  // namespace takt
