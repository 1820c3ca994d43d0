#include "training/figures/tensor_cores.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "base/basics/text.h"
#include "training/figures/around.h"

namespace takt {
namespace {

constexpr std::array<std::string_view, matrix_unit_count> unit_names{"used", "eligible", "none", "not_told"};

// Parts of kernels' names in lower case. cuBLAS and cuDNN of Volta to Ampere have the instruction's shape in theirs
// (h884, s16816, tensor16x8x8), later ones "xmma" or "nvjet"; CUTLASS "tensorop" and "wgmma"; attention kernels are
// built on them; AMD's Tensile has "_MI16x16" and Composable Kernel "xdl".
constexpr std::array<std::string_view, 18> matrix_unit_parts{
    "h884",  "s884",     "h1688", "s1688", "c1688",     "i8816",     "16816",        "hmma",        "imma",
    "wgmma", "tensorop", "xmma",  "nvjet", "flash_fwd", "flash_bwd", "fmha_cutlass", "native_sdpa", "_xdl"};
/// The same libraries' kernels that multiply without.
constexpr std::array<std::string_view, 2> plain_parts{"ffma", "simt"};

/// Kernels that multiply in float32: of cuBLAS and cuDNN, CUTLASS, and AMD's Tensile.
constexpr std::array<std::string_view, 5> single_parts{"sgemm", "scudnn", "ffma", "_simt_", "_sb_"};

constexpr std::array<std::string_view, 16> eligible_ops{"aten::mm",
                                                        "aten::addmm",
                                                        "aten::bmm",
                                                        "aten::baddbmm",
                                                        "aten::addbmm",
                                                        "aten::matmul",
                                                        "aten::linear",
                                                        "aten::einsum",
                                                        "aten::_addmm_activation",
                                                        "aten::_cudnn_rnn",
                                                        "aten::_cudnn_rnn_backward",
                                                        "aten::lstm",
                                                        "aten::gru",
                                                        "aten::rnn_tanh",
                                                        "aten::rnn_relu",
                                                        "aten::scaled_dot_product_attention"};

/// Kernels that only move or add what those of products take or give.
constexpr std::array<std::string_view, 7> no_products{"elementwise", "reduce", "transpose", "nchwtonhwc",
                                                      "nhwctonchw",  "copy",   "memset"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string_view name_of(MatrixUnit unit) { return unit_names[static_cast<std::size_t>(unit)]; }

bool uses_matrix_unit(std::string_view kernel) {
  const std::string name = lower_case(kernel);
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (std::any_of(plain_parts.begin(), plain_parts.end(), has)) return false;
  const std::size_t instruction = name.find("_mi");  // "_MI16x16x4x1" is one, "_min" is none
  const bool has_instruction =
      instruction != name.npos && instruction + 3 < name.size() && is_digit(name[instruction + 3]);
  return has_instruction || std::any_of(matrix_unit_parts.begin(), matrix_unit_parts.end(), has);
}

bool multiplies_without(std::string_view kernel) {
  const std::string name = lower_case(kernel);
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  return !uses_matrix_unit(kernel) && std::any_of(single_parts.begin(), single_parts.end(), has);
}

bool is_a_product(std::string_view kernel) {
  const std::string name = lower_case(kernel);
  return std::none_of(no_products.begin(), no_products.end(),
                      [&](std::string_view part) { return name.find(part) != name.npos; });
}

bool could_use_matrix_unit(std::string_view op) {
  const bool is_convolution = op.starts_with("aten::") && op.find("conv") != op.npos;  // of all libraries and years
  return is_convolution || std::find(eligible_ops.begin(), eligible_ops.end(), op) != eligible_ops.end();
}

std::array<MatrixUnitFigure, matrix_unit_count> matrix_unit_figures(const Trace& trace, const Activity& activity) {
  std::unordered_map<StringId, bool> kernels, products, ops;
  const auto ask = [&](std::unordered_map<StringId, bool>& known, StringId name, bool (*question)(std::string_view)) {
    const auto [found, is_new] = known.try_emplace(name, false);
    if (is_new) found->second = question(trace.text(name));
    return found->second;
  };
  const std::vector<Launch> launches = launches_of(activity);
  std::array<MatrixUnitFigure, matrix_unit_count> figures;
  std::array<std::map<StringId, std::int64_t>, matrix_unit_count> by_name;
  for (std::size_t i = 0; i < activity.device.size(); ++i) {
    const DeviceSpan& work = activity.device[i];
    if (work.role != Role::kernel) continue;
    MatrixUnit unit = launches[i].op < 0 ? MatrixUnit::not_told : MatrixUnit::none;
    const auto eligible = [&](const HostSpan& op) { return ask(ops, op.name, could_use_matrix_unit); };
    const bool is_product = ask(products, work.name, is_a_product);
    if (is_product && outwards(activity, launches[i].op, eligible) >= 0) unit = MatrixUnit::eligible;
    if (ask(kernels, work.name, uses_matrix_unit)) unit = MatrixUnit::used;
    MatrixUnitFigure& one = figures[static_cast<std::size_t>(unit)];
    ++one.kernels;
    one.time_ns += work.span.end - work.span.start;
    by_name[static_cast<std::size_t>(unit)][work.name] += work.span.end - work.span.start;
  }
  for (std::size_t i = 0; i < matrix_unit_count; ++i) {
    const auto longest = std::max_element(by_name[i].begin(), by_name[i].end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    if (longest != by_name[i].end()) figures[i].longest = longest->first;
  }
  return figures;
}

}  // namespace takt
