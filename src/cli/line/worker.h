// The conversation of takt's own child processes (`takt worker NAME`, listed nowhere): a task on standard input,
// answers on standard output, a line each.
#pragma once

#include <string>

namespace takt {

/// Reads all of standard input.
std::string whole_task();

/// Writes an answer and flushes it; returns false if the reader is gone.
bool tell_line(const std::string& line);

}  // namespace takt
