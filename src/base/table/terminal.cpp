#include "base/table/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/basics/text.h"

namespace takt {
namespace {

// Narrower than this no table is legible, and wider than that is a slip.
constexpr std::size_t narrowest = 40, widest = 1000;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::size_t told_width(int descriptor, bool is_terminal) {
  if (const auto columns = number_in<std::size_t>(environment("COLUMNS")); columns && *columns > 0) return *columns;
  winsize size{};
  if (is_terminal && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return Screen{}.width;
}

}  // namespace

Screen screen_of(int descriptor) {
  Screen screen;
  screen.is_terminal = ::isatty(descriptor) == 1;
  screen.width = std::clamp(told_width(descriptor, screen.is_terminal), narrowest, widest);
  screen.colour = screen.is_terminal && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  return screen;
}

std::string painted(std::string_view text, Paint paint, bool colour) {
  constexpr std::string_view codes[] = {"", "\x1b[1m", "\x1b[32m", "\x1b[33m", "\x1b[2m"};
  if (!colour || paint == Paint::plain || text.empty()) return std::string(text);
  return std::string(codes[static_cast<std::size_t>(paint)]) + std::string(text) + "\x1b[0m";
}

}  // namespace takt
