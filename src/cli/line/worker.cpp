#include "cli/line/worker.h"

#include <cstdio>
#include <iostream>
#include <iterator>

namespace takt {

std::string whole_task() { return {std::istreambuf_iterator<char>(std::cin), {}}; }

bool tell_line(const std::string& line) { return std::puts(line.c_str()) >= 0 && std::fflush(stdout) == 0; }

}  // namespace takt
