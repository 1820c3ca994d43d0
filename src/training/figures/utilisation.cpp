#include "training/figures/utilisation.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "training/figures/operators.h"

namespace takt {
namespace {

/// By the words of the name; the first that it has counts.
constexpr std::array peaks{
    DevicePeak{"GB200", 2500},    DevicePeak{"B200", 2250},   DevicePeak{"B100", 1750},   DevicePeak{"H200", 989},
    DevicePeak{"H100 PCIe", 756}, DevicePeak{"H100", 989},    DevicePeak{"H800", 989},    DevicePeak{"A100", 312},
    DevicePeak{"A800", 312},      DevicePeak{"A40", 150},     DevicePeak{"A30", 165},     DevicePeak{"A10G", 70},
    DevicePeak{"A10", 125},       DevicePeak{"L40S", 362},    DevicePeak{"L40", 181},     DevicePeak{"L4", 121},
    DevicePeak{"V100", 125},      DevicePeak{"T4", 65},       DevicePeak{"MI355X", 2500}, DevicePeak{"MI325X", 1307},
    DevicePeak{"MI300X", 1307},   DevicePeak{"MI250X", 383},  DevicePeak{"MI210", 181},   DevicePeak{"MI100", 185},
    DevicePeak{"RTX 4090", 165},  DevicePeak{"RTX 3090", 71},
};

bool is_letter_or_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

/// As a word: "A40" is no "RTX A4000".
bool has_word(std::string_view name, std::string_view word) {
  const std::size_t at = name.find(word);
  if (at == name.npos) return false;
  const std::size_t end = at + word.size();
  return (at == 0 || !is_letter_or_digit(name[at - 1])) && (end == name.size() || !is_letter_or_digit(name[end]));
}

std::optional<std::string> name_of_device(const Trace& trace) {
  const TraceProperty* const property = trace.property("deviceProperties");
  const auto devices = property == nullptr ? nlohmann::json() : nlohmann::json::parse(property->json, nullptr, false);
  if (!devices.is_array() || devices.empty() || !devices[0].is_object()) return std::nullopt;
  const auto name = devices[0].find("name");
  return name != devices[0].end() && name->is_string() ? std::optional(name->get<std::string>()) : std::nullopt;
}

}  // namespace

std::optional<DevicePeak> peak_of_device(std::string_view name) {
  const auto* const found =
      std::find_if(peaks.begin(), peaks.end(), [&](const DevicePeak& one) { return has_word(name, one.part); });
  return found == peaks.end() ? std::nullopt : std::optional(*found);
}

std::optional<Utilisation> utilisation_of(const Trace& trace, const Activity& activity, std::int64_t time_ns) {
  const auto name = name_of_device(trace);
  const auto peak = name ? peak_of_device(*name) : std::nullopt;
  if (!peak || time_ns <= 0) return std::nullopt;
  std::set<std::int64_t> devices;
  for (const DeviceSpan& work : activity.device) devices.insert(work.device);
  constexpr double flops_per_ns = 1000;  // of a TFLOP/s
  const double peak_rate = peak->matrix_tflops * flops_per_ns;
  double flops = 0;
  const OperatorFigure* longest = nullptr;
  const auto figures = operator_figures(trace, activity);
  for (const OperatorFigure& one : figures) {
    if (!one.flops || !one.name || one.flops_ns <= 0) continue;
    flops += *one.flops;
    if (longest == nullptr || one.flops_ns > longest->flops_ns) longest = &one;
  }
  if (longest == nullptr) return std::nullopt;
  const double of_all = peak_rate * static_cast<double>(devices.size());
  return Utilisation{*name, peak->matrix_tflops * static_cast<double>(devices.size()),
                     flops / static_cast<double>(time_ns) / of_all, trace.text(*longest->name),
                     *longest->flops / static_cast<double>(longest->flops_ns) / peak_rate};
}

}  // namespace takt
