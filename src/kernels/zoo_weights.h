// Weights of all models of the zoo in one file, made of a seed.
//
// Every model would otherwise carry megabytes that nobody looks at: sixty models take gigabytes, and building them
// minutes. So the models point into one file of random numbers. A layer wants numbers of its own scale (uniform in
// ±sqrt(3 / fan-in), so that values neither grow nor vanish through many layers), and a file has but one content: it is
// parted into sections, one per power of two of the fan-in. The layers of a model take neighbouring pieces of their
// section, not the same one, so that they do not share a cache line that real layers would not; only where a section
// ends it begins anew. What is larger than its section goes on in the next ones, whose numbers are smaller.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

namespace takt {

inline constexpr const char* zoo_weights_file = "zoo_weights.bin";
inline constexpr std::int64_t zoo_section_bytes = std::int64_t{8} << 20;
inline constexpr int first_zoo_section = 3, last_zoo_section = 14;  ///< powers of two of the fan-in
inline constexpr std::int64_t zoo_weight_bytes = zoo_section_bytes * (last_zoo_section - first_zoo_section + 1);

/// Hands out places in the file for the layers of one model.
class ZooWeightPlaces {
 public:
  /// The offset of `bytes` numbers of float32 for a layer of this fan-in, a multiple of 64. Throws Error(unsupported)
  /// for more than the whole file has.
  std::int64_t place(std::int64_t fan_in, std::int64_t bytes);

 private:
  std::array<std::int64_t, last_zoo_section - first_zoo_section + 1> taken_{};
};

/// The file's content; the same for a seed on every machine.
std::string zoo_weights(std::uint64_t seed);

/// Writes FOLDER/zoo_weights.bin whole, unless it is there to the byte; true: it was written. Throws Error(io).
bool write_zoo_weights(const std::filesystem::path& folder, std::uint64_t seed);

}  // namespace takt
