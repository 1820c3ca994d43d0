#include "profile/model_fingerprint.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"

namespace takt {
namespace {

/// FNV-1a over words of 8 bytes (little-endian) instead of bytes, which would take seconds for a large model; a turn
/// between the words lets high bits reach low ones.
class WordHash {
 public:
  void add(std::span<const char> bytes) {
    while (bytes.size() >= sizeof(std::uint64_t)) {
      add_word(bytes.data(), sizeof(std::uint64_t));
      bytes = bytes.subspan(sizeof(std::uint64_t));
    }
    if (!bytes.empty()) add_word(bytes.data(), bytes.size());
  }
  void add_number(std::uint64_t number) {
    hash_ = (hash_ ^ number) * 1099511628211u;
    hash_ ^= hash_ >> 32;
  }
  std::uint64_t value() const { return hash_; }

 private:
  void add_word(const char* bytes, std::size_t count) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, count);
    add_number(word);
  }

  std::uint64_t hash_ = 14695981039346656037u;
};

void add_file(WordHash& hash, const std::filesystem::path& path) {
  InputFile file(path);
  std::vector<char> block(std::size_t{1} << 20);
  std::uint64_t size = 0;
  while (const std::size_t count = file.read(block)) {
    hash.add(std::span(block).first(count));
    size += count;
    if (count < block.size()) break;
  }
  hash.add_number(size);
}

}  // namespace

std::string model_fingerprint(const std::filesystem::path& model, std::span<const std::filesystem::path> weight_files) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(model, ignored)) return "";  // a pipe has been read, and would block
  try {
    WordHash hash;
    add_file(hash, model);
    for (const auto& file : weight_files) add_file(hash, file);
    auto weights = model;
    weights.replace_extension(".bin");
    if (lower_case(model.extension().string()) == ".xml" && std::filesystem::exists(weights)) add_file(hash, weights);
    return fmt::format("{:016x}", hash.value());
  } catch (const Error&) {
    return "";  // a file that vanished meanwhile
  }
}

}  // namespace takt
