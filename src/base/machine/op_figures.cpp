#include "base/machine/op_figures.h"

#include <algorithm>
#include <initializer_list>

#include "base/basics/text.h"
#include "base/statistics/statistics.h"

namespace takt {

namespace {

bool has_word(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](auto word) { return text.find(word) != std::string_view::npos; });
}

}  // namespace

OpFigures figures_of(std::span<const Duration> samples, const OpRate& rate, const WorkingSet& model,
                     const Peaks* peaks) {
  OpFigures figures;
  figures.intensity = intensity(rate);
  if (peaks) figures.roofline = roofline(rate, model, *peaks), figures.impossible = impossible_rates(rate, *peaks);
  if (const auto summary = summarize(samples)) {
    figures.samples = static_cast<std::int64_t>(summary->count);
    figures.mean = summary->mean;
    figures.stddev = summary->stddev;
    figures.min = summary->min, figures.max = summary->max;
    figures.p50 = summary->median, figures.p90 = summary->p90, figures.p99 = summary->p99;
  }
  return figures;
}

// OpenVINO ends a kernel's name with the precision it computes in: "brgemm_avx512_amx_i8", "jit_gemm_BF16". ONNX
// Runtime's operators on quantised values have types of their own.
NumberType numbers_of(std::string_view kernel, std::string_view type) {
  const std::string name = lower_case(kernel), kind = lower_case(type);
  if (has_word(name, {"bf16"})) return NumberType::bf16;
  if (has_word(name, {"_i8", "_u8", "_int8", "_uint8"})) return NumberType::int8;
  if (has_word(name, {"_f16", "_fp16"})) return NumberType::f16;
  for (const std::string& word : {name, kind})
    if (has_word(word, {"qlinear", "qgemm", "qattention", "integer", "dynamicquantizematmul", "dynamicquantizelstm"}))
      return NumberType::int8;
  return NumberType::f32;
}

bool has_impossible_rates(const Table& table) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [](const ColumnSchema& column) { return column.name == impossible_column; });
  if (found == table.columns.end()) return false;
  const auto at = static_cast<std::size_t>(found - table.columns.begin());
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return !std::holds_alternative<std::monostate>(row[at]); });
}

std::vector<std::string> with_impossible_rates(std::vector<std::string> names, const Table& table) {
  const auto shows = [&](std::initializer_list<std::string_view> starts) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return std::any_of(starts.begin(), starts.end(), [&](auto start) { return name.starts_with(start); });
    });
  };
  const bool there = shows({"all", impossible_column});
  if (!there && shows({"gflops_per_s", "gbytes_per_s", "flops", "bandwidth", "roofline", "peak_share"}) &&
      has_impossible_rates(table))
    names.emplace_back(impossible_column);
  return names;
}

bool needs_peaks(std::span<const std::string> names) {
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name == "all" || name == "roofline" || name == "memory_level" || name.starts_with("peak_share");
  });
}

}  // namespace takt
