#include "base/basics/check.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/basics/crash.h"

namespace takt {

void check_failed(const char* condition, const char* file, int line) noexcept {
  // Where the program was built says nothing to its user.
  const std::string_view path(file);
  const std::size_t source = path.rfind("/src/");
  const std::string_view shown = source == std::string_view::npos ? path : path.substr(source + 1);
  std::fprintf(stderr, "takt: %.*s:%d: '%s' does not hold: a bug in takt; please report it with the command\n",
               static_cast<int>(shown.size()), shown.data(), line, condition);
  crash_is_told();
  std::abort();
}

}  // namespace takt
