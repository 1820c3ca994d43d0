#include "base/memory/resident.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace takt {
namespace {

constexpr std::string_view begin_anew = "5";

/// Guards the count of the process and those that wait for it.
struct Counting {
  std::mutex mutex;
  std::vector<std::int64_t*> peaks;  ///< of all that are under way
  std::int64_t most = 0;             ///< before the count was last begun anew
};

Counting& counting() {
  static Counting only;
  return only;
}

/// The number of KiB behind `key` at the start of a line of the process's status.
std::optional<std::int64_t> status_bytes(const std::filesystem::path& root, std::string_view key) {
  std::ifstream file(root / "proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const auto digits = line.find_first_of("0123456789");
    std::int64_t kibibytes = 0;
    if (digits == std::string::npos) return std::nullopt;
    const auto [end, error] = std::from_chars(line.data() + digits, line.data() + line.size(), kibibytes);
    if (error != std::errc() || end == line.data() + digits) return std::nullopt;
    return kibibytes * 1024;
  }
  return std::nullopt;
}

std::optional<std::int64_t> counted(const std::filesystem::path& root) { return status_bytes(root, "VmHWM:"); }

bool begin_count_anew(const std::filesystem::path& root) {
  const auto path = root / "proc/self/clear_refs";
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return false;  // a file that is made here would count nothing
  std::ofstream file(path);
  file << begin_anew << std::flush;
  return file.good();
}

}  // namespace

std::optional<std::int64_t> resident_bytes(const std::filesystem::path& root) { return status_bytes(root, "VmRSS:"); }

std::optional<std::int64_t> most_resident_bytes(const std::filesystem::path& root) {
  Counting& all = counting();
  const std::lock_guard lock(all.mutex);
  const auto now = counted(root);
  return now ? std::optional(std::max(*now, all.most)) : std::nullopt;
}

ResidentPeak::ResidentPeak(std::filesystem::path root) : root_(std::move(root)) {
  Counting& all = counting();
  const std::lock_guard lock(all.mutex);
  const auto so_far = counted(root_);
  if (so_far && begin_count_anew(root_)) {
    began_ = true;
    all.most = std::max(all.most, *so_far);
    for (std::int64_t* peak : all.peaks) *peak = std::max(*peak, *so_far);
  }
  all.peaks.push_back(&most_);
}

ResidentPeak::~ResidentPeak() {
  Counting& all = counting();
  const std::lock_guard lock(all.mutex);
  std::erase(all.peaks, &most_);
}

std::optional<std::int64_t> ResidentPeak::bytes() const {
  if (!began_) return std::nullopt;
  Counting& all = counting();
  const std::lock_guard lock(all.mutex);
  const auto now = counted(root_);
  return now ? std::optional(std::max(*now, most_)) : std::nullopt;
}

}  // namespace takt
