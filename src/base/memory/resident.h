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

/// Bytes that are resident now; nullopt: the system does not tell. `root`: where /proc is; for tests.
std::optional<std::int64_t> resident_bytes(const std::filesystem::path& root = "/");

/// The most that was resident since the process began, whatever a ResidentPeak did meanwhile; nullopt as above.
std::optional<std::int64_t> most_resident_bytes(const std::filesystem::path& root = "/");

/// The most that is resident from its construction on. Several may overlap. Thread-safe.
class ResidentPeak {
 public:
  explicit ResidentPeak(std::filesystem::path root = "/");
  ~ResidentPeak();
  ResidentPeak(const ResidentPeak&) = delete;
  ResidentPeak& operator=(const ResidentPeak&) = delete;

  /// Bytes, to the 4 KiB or so that the system counts in; nullopt: it does not tell, or does not let its count begin
  /// anew.
  std::optional<std::int64_t> bytes() const;

 private:
  std::filesystem::path root_;
  bool began_ = false;
  mutable std::int64_t most_ = 0;  ///< before another one began the count anew
};

}  // namespace takt
