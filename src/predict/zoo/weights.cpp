#include "predict/zoo/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "base/statistics/random.h"

namespace takt {

static_assert(std::endian::native == std::endian::little, "external data of ONNX is little-endian");

namespace {

/// The first bytes of the content, section by section.
class ZooWeightStream {
 public:
  ZooWeightStream(std::uint64_t seed, std::int64_t bytes)
      : random_(seed), left_(static_cast<std::size_t>(bytes)), section_(zoo_section_bytes, '\0') {}

  bool is_done() const { return left_ == 0; }
  /// Valid until the next call.
  std::string_view next() {
    const int power = next_ <= last_zoo_section ? next_++ : large_zoo_layer;
    const auto bound = static_cast<float>(std::sqrt(3.0 / std::ldexp(1.0, power)));
    for (std::size_t at = 0; at < section_.size(); at += 2 * sizeof(float)) {
      // Two numbers of 24 bits each of one draw: exact in float32, so the same everywhere.
      const std::uint64_t drawn = random_();
      const std::array<float, 2> values{scaled(drawn >> 40, bound), scaled((drawn >> 16) & 0xFFFFFF, bound)};
      std::memcpy(section_.data() + at, values.data(), sizeof values);
    }
    const std::string_view told = std::string_view(section_).substr(0, left_);
    left_ -= told.size();
    return told;
  }

 private:
  static float scaled(std::uint64_t part, float bound) { return bound * (static_cast<float>(part) * 0x1p-23f - 1.0f); }

  LongRandom random_;
  std::size_t left_;
  std::string section_;
  int next_ = first_zoo_section;
};

bool begins_with_weights(const std::filesystem::path& path, std::uint64_t seed, std::int64_t bytes) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const MappedFile file(path);
  std::string_view rest = file.text();
  if (rest.size() < static_cast<std::size_t>(bytes)) return false;
  for (ZooWeightStream stream(seed, bytes); !stream.is_done();) {
    const std::string_view section = stream.next();
    if (!rest.starts_with(section)) return false;
    rest.remove_prefix(section.size());
  }
  return true;
}

}  // namespace

std::int64_t ZooWeightPlaces::place(std::int64_t fan_in, std::int64_t bytes) {
  const auto power = static_cast<int>(std::lround(std::log2(static_cast<double>(std::max<std::int64_t>(1, fan_in)))));
  const int section = std::clamp(power, first_zoo_section, last_zoo_section) - first_zoo_section;
  std::int64_t& taken = taken_[static_cast<std::size_t>(section)];
  const bool fits = bytes <= zoo_section_bytes - taken;
  std::int64_t& used = fits ? taken : large_;
  const std::int64_t offset = (fits ? section * zoo_section_bytes : zoo_sections_bytes) + used;
  if (bytes > most_zoo_weight_bytes - offset)
    throw Error(ErrorKind::unsupported, fmt::format("a model has more weights than the {} MiB of the zoo's file; take "
                                                    "a smaller width or input",
                                                    most_zoo_weight_bytes >> 20));
  used += (bytes + 63) / 64 * 64;
  end_ = std::max(end_, offset + bytes);
  return offset;
}

std::string zoo_weights(std::uint64_t seed, std::int64_t bytes) {
  std::string all;
  all.reserve(static_cast<std::size_t>(bytes));
  for (ZooWeightStream stream(seed, bytes); !stream.is_done();) all += stream.next();
  return all;
}

bool write_zoo_weights(const std::filesystem::path& folder, std::uint64_t seed, std::int64_t bytes) {
  const auto path = folder / zoo_weights_file;
  if (begins_with_weights(path, seed, bytes)) return false;
  AtomicFile file(path);
  for (ZooWeightStream stream(seed, bytes); !stream.is_done();) file.append(stream.next());
  file.commit();
  return true;
}

}  // namespace takt
