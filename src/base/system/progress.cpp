#include "base/system/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/basics/text.h"
#include "base/table/terminal.h"

namespace takt {

std::string progress_line(const std::string& label, std::uint64_t done, std::uint64_t total, Duration elapsed,
                          std::size_t width) {
  constexpr std::size_t most_cells = 24;
  const double share = total == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const std::string percent = fmt::format(" {:3.0f} %", share * 100);
  std::string end = percent;
  if (done > 0 && done < total) end += fmt::format("  {} left", format_duration(elapsed * ((1 - share) / share)));
  const std::size_t taken = display_width(label) + display_width(" []") + display_width(end);
  const std::size_t cells = std::min(most_cells, width - std::min(width, taken));
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(cells));
  std::string bar = cells > 0 ? fmt::format(" [{:#<{}}{:.<{}}]", "", filled, "", cells - filled) : "";
  std::string line = label + bar + end;
  if (display_width(line) > width) line = label + percent;
  return display_width(line) > width ? line.substr(0, width) : line;
}

Progress::Progress(std::string label)
    : label_(std::move(label)),
      is_terminal_(::isatty(STDERR_FILENO) == 1),
      started_(steady_now()),
      last_drawn_(started_) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::update(std::uint64_t done, std::uint64_t total) {
  if (!is_terminal_) return;
  Nanoseconds now = steady_now();
  if (now - last_drawn_ < std::chrono::milliseconds(100)) return;
  last_drawn_ = now;
  drawn_ = true;
  const std::size_t width = screen_of(STDERR_FILENO).width - 1;  // some terminals wrap behind a full line
  std::fprintf(stderr, "\r%s\x1b[K", progress_line(label_, done, total, now - started_, width).c_str());
  std::fflush(stderr);
}

}  // namespace takt
