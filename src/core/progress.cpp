#include "core/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace takt {

std::string progress_line(const std::string& label, std::uint64_t done, std::uint64_t total, Duration elapsed) {
  constexpr int cells = 24;
  double share = total == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  int filled = static_cast<int>(share * cells);
  std::string line = fmt::format("{} [{:#<{}}{:.<{}}] {:3.0f} %", label, "", filled, "", cells - filled, share * 100);
  if (done > 0 && done < total) line += fmt::format("  {} left", format_duration(elapsed * ((1 - share) / share)));
  return line;
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
  std::fprintf(stderr, "\r%s\x1b[K", progress_line(label_, done, total, now - started_).c_str());
  std::fflush(stderr);
}

}  // namespace takt
