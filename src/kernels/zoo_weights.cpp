#include "kernels/zoo_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/error.h"
#include "core/file.h"
#include "core/random.h"

namespace takt {

static_assert(std::endian::native == std::endian::little, "external data of ONNX is little-endian");

std::int64_t ZooWeightPlaces::place(std::int64_t fan_in, std::int64_t bytes) {
  if (bytes > zoo_weight_bytes)
    throw Error(ErrorKind::unsupported, fmt::format("a layer has {} MiB of weights, and the zoo's file {}; take a "
                                                    "smaller width or input",
                                                    bytes >> 20, zoo_weight_bytes >> 20));
  const auto power = static_cast<int>(std::lround(std::log2(static_cast<double>(std::max<std::int64_t>(1, fan_in)))));
  const int section = std::clamp(power, first_zoo_section, last_zoo_section) - first_zoo_section;
  std::int64_t& taken = taken_[static_cast<std::size_t>(section)];
  if (taken + bytes > zoo_section_bytes) taken = 0;
  const std::int64_t offset = std::min(section * zoo_section_bytes + taken, (zoo_weight_bytes - bytes) / 64 * 64);
  taken = std::min((taken + bytes + 63) / 64 * 64, zoo_section_bytes);
  return offset;
}

std::string zoo_weights(std::uint64_t seed) {
  std::string bytes(static_cast<std::size_t>(zoo_weight_bytes), '\0');
  LongRandom random(seed);
  const auto per_section = static_cast<std::size_t>(zoo_section_bytes) / sizeof(float);
  auto* to = bytes.data();
  for (int power = first_zoo_section; power <= last_zoo_section; ++power) {
    const auto bound = static_cast<float>(std::sqrt(3.0 / std::ldexp(1.0, power)));
    for (std::size_t i = 0; i < per_section; i += 2) {
      // Two numbers of 24 bits each of one draw: exact in float32, so the same everywhere.
      const std::uint64_t drawn = random();
      for (const std::uint64_t part : {drawn >> 40, (drawn >> 16) & 0xFFFFFF}) {
        const float value = bound * (static_cast<float>(part) * 0x1p-23f - 1.0f);
        std::memcpy(to, &value, sizeof value);
        to += sizeof value;
      }
    }
  }
  return bytes;
}

bool write_zoo_weights(const std::filesystem::path& folder, std::uint64_t seed) {
  const auto path = folder / zoo_weights_file;
  const std::string bytes = zoo_weights(seed);
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error) && MappedFile(path).text() == bytes) return false;
  write_file_atomically(path, bytes);
  return true;
}

}  // namespace takt
