// What the reader's terminal can show: how wide a line may be, and colours where somebody sees them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace takt {

struct Screen {
  std::size_t width = 80;  ///< columns; 80 if it is not a terminal and COLUMNS is not set
  bool is_terminal = false;
  bool colour = false;
};

/// Returns the width (in columns) and abilities of the terminal behind an open descriptor such as STDOUT_FILENO. Width:
/// COLUMNS in the environment, else the terminal's, else 80. Colour only on a terminal, unless NO_COLOR is set
/// (no-color.org) or TERM is "dumb".
Screen screen_of(int descriptor);

enum class Paint { plain, bold, good, bad, faint };

/// Returns `text` within escape sequences of the terminal; unchanged without `colour`.
std::string painted(std::string_view text, Paint paint, bool colour);

}  // namespace takt
