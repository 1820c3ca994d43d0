// What the reader's terminal can show: how wide a line may be, and colours where somebody sees them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace takt {

struct Screen {
  std::size_t width = 80;  ///< columns; 80 where it is no terminal and nothing else is said
  bool is_terminal = false;
  bool colour = false;
};

/// Of an open descriptor (STDOUT_FILENO). COLUMNS in the environment says the width before the terminal does, as for
/// other programs. No colour without a terminal, with NO_COLOR set to anything (no-color.org) or TERM=dumb.
Screen screen_of(int descriptor);

enum class Paint { plain, bold, good, bad, faint };

/// `text` in the escape sequences of a terminal; unchanged without `colour`.
std::string painted(std::string_view text, Paint paint, bool colour);

}  // namespace takt
