// Files and folders that must not outlive the program, whatever ends it: who makes one notes it here, and the report of
// a crash (base/basics/crash.h) removes what is noted. A signal handler may call remove_leftovers(): nothing here
// allocates.
#pragma once

#include <filesystem>

namespace takt {

/// While it lives, the file or folder `path` is removed, with everything in it, if the program crashes. Of more than 64
/// at once, or a path longer than 1,000 bytes, it is not. Thread-safe.
class Leftover {
 public:
  Leftover() = default;
  explicit Leftover(const std::filesystem::path& path);
  ~Leftover() { forget(); }
  Leftover(const Leftover&) = delete;
  Leftover& operator=(const Leftover&) = delete;

  void note(const std::filesystem::path& path);
  void forget();  ///< it is gone, or has become what was wanted

 private:
  int place_ = -1;
};

/// Removes all that is noted by this process (not by the one that it was copied from). For signal handlers.
void remove_leftovers() noexcept;

}  // namespace takt
