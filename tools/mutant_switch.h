// Stands before each source that tools/mutants --random or tools/refusals changes: which change is on, and which places
// were reached. The environment says both: TAKT_MUTANT is a number, TAKT_MUTANTS_REACHED a folder that gets an empty
// folder for each number.
#ifndef TAKT_MUTANT_SWITCH
#define TAKT_MUTANT_SWITCH
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <type_traits>

inline void takt_note_reached(const char* folder, int number) noexcept {
  static bool noted[4096] = {};
  if (noted[number]) return;
  noted[number] = true;
  char path[4200];
  std::snprintf(path, sizeof path, "%s/%d", folder, number);
  const int error = errno;
  // The system's call itself: tests count, and break, those of the C library. And a folder: it needs no descriptor.
  ::syscall(SYS_mkdirat, AT_FDCWD, path, 0755);
  errno = error;
}

inline bool takt_mutant_is_on(int number) noexcept {
  static const int chosen = [] {
    const char* given = std::getenv("TAKT_MUTANT");
    return given ? std::atoi(given) : -1;
  }();
  static const char* const folder = std::getenv("TAKT_MUTANTS_REACHED");
  if (folder) takt_note_reached(folder, number);
  return number == chosen;
}

constexpr bool takt_mutant(int number) noexcept { return !std::is_constant_evaluated() && takt_mutant_is_on(number); }

/// `(TaktThrown(3), check(…))`: 3 is reached where an exception leaves the call.
class TaktThrown {
 public:
  explicit TaktThrown(int number) noexcept : number_(number) {}
  TaktThrown(const TaktThrown&) = delete;
  TaktThrown& operator=(const TaktThrown&) = delete;
  ~TaktThrown() {
    if (std::uncaught_exceptions() > before_) takt_mutant_is_on(number_);
  }

 private:
  int number_, before_ = std::uncaught_exceptions();
};
#endif
