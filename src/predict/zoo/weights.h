// Weights of all models of the zoo in one file, made of a seed.
//
// Every model would otherwise carry megabytes that nobody looks at: sixty models take gigabytes, and building them
// minutes. So the models point into one file of random numbers. A layer wants numbers of its own scale (uniform in
// ±sqrt(3 / fan-in), so that values neither grow nor vanish through many layers), and a file has but one content: it is
// parted into sections, one per power of two of the fan-in, and then goes on, as far as the largest model needs it,
// with numbers for a fan-in of two thousand, as large layers have.
//
// No two layers of a model share a byte. Runtimes read weights where the file is mapped: two layers on the same pages
// find in the caches what real layers have to fetch, and four products of 16 MB took half the time of a real network's.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

namespace takt {

inline constexpr const char* zoo_weights_file = "zoo_weights.bin";
inline constexpr std::int64_t zoo_section_bytes = std::int64_t{8} << 20;
inline constexpr int first_zoo_section = 3, last_zoo_section = 14;  ///< powers of two of the fan-in
inline constexpr int large_zoo_layer = 11;                          ///< the power that the file goes on with
inline constexpr std::int64_t zoo_sections_bytes = zoo_section_bytes * (last_zoo_section - first_zoo_section + 1);
inline constexpr std::int64_t most_zoo_weight_bytes = std::int64_t{2} << 30;

/// Hands out places in the file for the layers of one model.
class ZooWeightPlaces {
 public:
  /// The offset of `bytes` numbers of float32 for a layer of this fan-in, a multiple of 64: in its section, or behind
  /// all sections where that is full. Throws Error(unsupported) where the file would have more than
  /// most_zoo_weight_bytes.
  std::int64_t place(std::int64_t fan_in, std::int64_t bytes);
  /// How long the file has to be for all that was placed.
  std::int64_t end() const { return end_; }

 private:
  std::array<std::int64_t, last_zoo_section - first_zoo_section + 1> taken_{};
  std::int64_t large_ = 0, end_ = 0;  // large_: taken behind the sections
};

/// The file's first bytes; the same for a seed on every machine, however many there are.
std::string zoo_weights(std::uint64_t seed, std::int64_t bytes = zoo_sections_bytes);

/// Writes FOLDER/zoo_weights.bin whole, at least `bytes` long, unless it is there to the byte; a longer one is left as
/// it is, and other models keep their weights in a new one. true: it was written. Throws Error(io).
bool write_zoo_weights(const std::filesystem::path& folder, std::uint64_t seed, std::int64_t bytes);

}  // namespace takt
