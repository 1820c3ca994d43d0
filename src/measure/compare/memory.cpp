#include "measure/compare/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/basics/units.h"
#include "base/statistics/statistics.h"

namespace takt {
namespace {

constexpr double least_share = 0.05, least_bytes = 1 << 20;

struct MemoryFigure {
  std::string_view name;
  std::optional<double> RecordedMemory::*bytes;
};

constexpr std::array<MemoryFigure, 4> memory_figures = {{
    {"weights", &RecordedMemory::weights},
    {"activations at most", &RecordedMemory::activation_peak},
    {"memory while loading", &RecordedMemory::load_peak},
    {"memory while running", &RecordedMemory::run_peak},
}};

/// What the profiles of a side say, ascending.
std::vector<double> bytes_in(std::span<const RecordedProfile> side, const MemoryFigure& figure) {
  std::vector<double> bytes;
  for (const RecordedProfile& profile : side)
    if (const auto& one = profile.memory.*figure.bytes) bytes.push_back(*one);
  std::sort(bytes.begin(), bytes.end());
  return bytes;
}

bool is_above(const std::vector<double>& more, const std::vector<double>& less) {
  return more.front() - less.back() > std::max(least_bytes, least_share * less.back());
}

}  // namespace

std::vector<std::string> changed_memory(std::span<const RecordedProfile> before,
                                        std::span<const RecordedProfile> after) {
  std::vector<std::string> sentences;
  for (const MemoryFigure& figure : memory_figures) {
    const auto first = bytes_in(before, figure), second = bytes_in(after, figure);
    if (first.empty() || second.empty()) continue;
    const bool grew = is_above(second, first);
    if (!grew && !is_above(first, second)) continue;
    const double from = *median(first), to = *median(second);
    const std::string share = from > 0 ? fmt::format(" ({:+.1f} %)", (to / from - 1) * 100) : "";
    sentences.push_back(fmt::format("{} {} from {} to {}{}", figure.name, grew ? "grew" : "shrank", format_bytes(from),
                                    format_bytes(to), share));
  }
  return sentences;
}

}  // namespace takt
