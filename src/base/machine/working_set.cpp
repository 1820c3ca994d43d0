#include "base/machine/working_set.h"

namespace takt {
namespace {

/// The nearest level with room for so many bytes.
std::size_t nearest_level(double bytes, bool one_thread, const Peaks& peaks) {
  std::size_t level = 0;
  for (; level + 1 < peaks.levels.size(); ++level) {
    const auto& room = one_thread ? peaks.levels[level].bytes_one : peaks.levels[level].bytes_all;
    if (!room || bytes <= static_cast<double>(*room)) break;
  }
  return level;
}

/// Where the two kinds of bytes come from, as indices of levels.
struct Origins {
  std::size_t constants = 0, activations = 0;
};

/// One step nearer, of the bytes that come from farthest; false: all are as near as can be.
bool step_nearer(Origins& from) {
  std::size_t& far = from.constants >= from.activations ? from.constants : from.activations;
  if (far == 0) return false;
  --far;
  return true;
}

std::optional<MemoryRoof> roof_of(const MovedBytes& op, const Origins& from, bool one_thread, const Peaks& peaks) {
  std::optional<MemoryRoof> roof;
  for (std::size_t level = 0; level <= std::max(from.constants, from.activations); ++level) {
    const double passing =
        (from.constants >= level ? op.constants : 0) + (from.activations >= level ? op.activations : 0);
    const double bytes_per_s = bandwidth_of(peaks, level, one_thread);
    if (!(bytes_per_s > 0)) return std::nullopt;
    const Duration least(passing / bytes_per_s * 1e6);
    if (!roof || least > roof->least) roof = {least, peaks.levels[level].name};
  }
  return roof;
}

}  // namespace

std::optional<MemoryRoof> memory_roof(const MovedBytes& op, const WorkingSet& model, Duration time, bool one_thread,
                                      const Peaks& peaks) {
  if (peaks.levels.empty()) return std::nullopt;
  Origins from;
  if (op.constants > 0) from.constants = nearest_level(std::max(model.bytes(), op.bytes()), one_thread, peaks);
  if (op.activations > 0) from.activations = nearest_level(op.activations / 2, one_thread, peaks);
  auto roof = roof_of(op, from, one_thread, peaks);
  while (roof && roof->least > time && step_nearer(from)) roof = roof_of(op, from, one_thread, peaks);
  return roof;
}

}  // namespace takt
