#include "measure/open/model_content.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"

namespace takt {
namespace {

/// FNV-1a on words of 64 bits in four lanes, which is as fast as memory; byte by byte a large model would take seconds.
class Fingerprint {
 public:
  void add(std::string_view bytes) {
    std::size_t at = 0;
    for (; at + sizeof lanes_ <= bytes.size(); at += sizeof lanes_) {
      std::array<std::uint64_t, 4> words;
      std::memcpy(words.data(), bytes.data() + at, sizeof words);
      for (std::size_t lane = 0; lane < words.size(); ++lane) lanes_[lane] = mixed(lanes_[lane], words[lane]);
    }
    rest_ = mixed(rest_, fingerprint(bytes.substr(at)));
    length_ += bytes.size();
  }

  std::string text() const {
    std::uint64_t all = mixed(rest_, length_);
    for (const std::uint64_t lane : lanes_) all = mixed(all, lane);
    return fmt::format("{:016x}", all);
  }

 private:
  /// The high half is folded in, or the top bits of a word would reach only the top bits of the result.
  static std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 1099511628211u;
    return hash ^ (hash >> 32);
  }

  std::array<std::uint64_t, 4> lanes_{1, 2, 3, 4};
  std::uint64_t rest_ = 14695981039346656037u, length_ = 0;
};

std::uint64_t add_file(const std::filesystem::path& path, Fingerprint& fingerprint) {
  constexpr std::size_t piece = 1 << 20;
  InputFile file(path);
  std::string buffer(piece, '\0');
  std::uint64_t bytes = 0;
  while (const std::size_t got = file.read(buffer)) {
    fingerprint.add(std::string_view(buffer).substr(0, got));
    bytes += got;
  }
  return bytes;
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& model, const Graph* graph) {
  std::vector<std::filesystem::path> files{model};
  const auto folder = model.parent_path();
  if (graph)
    for (const auto& name : graph->external_files) files.push_back(folder / name);
  auto weights = model;
  weights.replace_extension(".bin");
  std::error_code ignored;
  if (lower_case(model.extension().string()) == ".xml" && std::filesystem::exists(weights, ignored))
    files.push_back(std::move(weights));
  return files;
}

}  // namespace

std::optional<ModelContent> content_of(const std::filesystem::path& model, const Graph* graph) try {
  ModelContent content;
  Fingerprint fingerprint;
  for (const auto& file : files_of(model, graph))
    content.files.push_back({file.filename().string(), add_file(file, fingerprint)});
  content.fingerprint = fingerprint.text();
  return content;
} catch (const Error&) {
  return std::nullopt;
}

}  // namespace takt
