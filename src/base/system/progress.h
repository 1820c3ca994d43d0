// A progress bar with the remaining time, on stderr and only on a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/basics/units.h"

namespace takt {

/// Not thread-safe. The bar is erased when done or destroyed; nothing is ever drawn when stderr is not a terminal.
/// update() costs one clock read unless 100 ms have passed, so call it between measurements, never inside one.
class Progress {
 public:
  explicit Progress(std::string label);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// `total` may change as the estimate of the work gets better.
  void update(std::uint64_t done, std::uint64_t total);

 private:
  std::string label_;
  bool is_terminal_, drawn_ = false;
  Nanoseconds started_, last_drawn_;
};

/// The bar's text: "label [#####.....]  50 %  12 s left". Pure, for tests. Remaining time is missing before the first
/// step. On a narrow screen the bar gives way first, then the end: a line that wraps cannot be drawn over.
std::string progress_line(const std::string& label, std::uint64_t done, std::uint64_t total, Duration elapsed,
                          std::size_t width = 80);

}  // namespace takt
