// How much of this process's memory is resident: what the system counts as its own, libraries that it has mapped too.
//
// The system keeps the most that ever was. To know it of one phase the count is begun anew, which Linux permits a
// process for itself (5 into /proc/self/clear_refs); where it does not, the figure is missing instead of that of
// another phase. What was counted before is kept here, because a program beside this one (/usr/bin/time) then sees the
// last phase only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace takt {

/// Returns the number of bytes that are resident now; nullopt if the system does not report it. `root` is the parent of
/// /proc; for tests.
std::optional<std::int64_t> resident_bytes(const std::filesystem::path& root = "/");

/// Returns the peak of resident bytes since the process began, regardless of any ResidentPeak; nullopt as above.
std::optional<std::int64_t> most_resident_bytes(const std::filesystem::path& root = "/");

/// Measures the peak of resident memory from its construction on. Several may overlap. Thread-safe.
class ResidentPeak {
 public:
  explicit ResidentPeak(std::filesystem::path root = "/");
  ~ResidentPeak();
  ResidentPeak(const ResidentPeak&) = delete;
  ResidentPeak& operator=(const ResidentPeak&) = delete;

  /// Returns the peak in bytes, in the system's units of about 4 KiB; nullopt if the system does not report it or
  /// cannot reset its counter.
  std::optional<std::int64_t> bytes() const;

 private:
  std::filesystem::path root_;
  bool began_ = false;
  mutable std::int64_t most_ = 0;  ///< before another one began the count anew
};

}  // namespace takt
