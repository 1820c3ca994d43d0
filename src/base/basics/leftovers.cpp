#include "base/basics/leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>

namespace takt {
namespace {

constexpr int most_noted = 64, deepest = 4;

struct Noted {
  std::atomic<int> state{0};  ///< 0: free; -1: being written; else the process that noted it
  std::array<char, 1024> path{};
};

std::array<Noted, most_noted> noted;

/// Of a call of getdents64; the system's own form of an entry.
struct Entries {
  alignas(std::int64_t) std::array<char, 4096> bytes{};
  long count = 0;
};
std::array<Entries, deepest> entries_at;  // no stack to speak of in a signal handler; there is one crash

void remove_at(int folder, const char* name, int depth) noexcept {
  if (::unlinkat(folder, name, 0) == 0 || depth == deepest) return;
  const int inside = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inside < 0) return;
  Entries& entries = entries_at[static_cast<std::size_t>(depth)];
  while ((entries.count = ::syscall(SYS_getdents64, inside, entries.bytes.data(), entries.bytes.size())) > 0)
    for (long at = 0; at < entries.count;) {
      struct dirent64 head;
      std::memcpy(&head, entries.bytes.data() + at, offsetof(struct dirent64, d_name));
      const char* const entry = entries.bytes.data() + at + offsetof(struct dirent64, d_name);
      if (std::strcmp(entry, ".") != 0 && std::strcmp(entry, "..") != 0) remove_at(inside, entry, depth + 1);
      at += head.d_reclen;
    }
  ::close(inside);
  ::unlinkat(folder, name, AT_REMOVEDIR);
}

}  // namespace

Leftover::Leftover(const std::filesystem::path& path) { note(path); }

void Leftover::note(const std::filesystem::path& path) {
  forget();
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(path, error).string();
  if (error || absolute.size() >= noted[0].path.size()) return;
  for (int place = 0; place < most_noted; ++place) {
    Noted& one = noted[static_cast<std::size_t>(place)];
    int expected = 0;
    if (!one.state.compare_exchange_strong(expected, -1)) continue;
    std::memcpy(one.path.data(), absolute.c_str(), absolute.size() + 1);
    one.state = ::getpid();
    place_ = place;
    return;
  }
}

void Leftover::forget() {
  if (place_ >= 0) noted[static_cast<std::size_t>(place_)].state = 0;
  place_ = -1;
}

void remove_leftovers() noexcept {
  const int process = ::getpid();
  for (const Noted& one : noted)
    if (one.state == process) remove_at(AT_FDCWD, one.path.data(), 0);
}

}  // namespace takt
