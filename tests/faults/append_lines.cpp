// append_lines FILE LINE…: appends the lines to a journal, one after another; a line that went well is named on
// standard output. A line that fails is a sentence on standard error, and the next one is tried. Exit code 1 where any
// failed.
#include <cstdio>
#include <exception>

#include "base/files/journal.h"

int main(int count, char** words) try {
  takt::Journal journal(words[1]);
  int code = 0;
  for (int i = 2; i < count; ++i) try {
      journal.append(words[i]);
      std::printf("%s\n", words[i]);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "takt: %s\n", error.what());
      code = 1;
    }
  return code;
} catch (const std::exception& error) {
  std::fprintf(stderr, "takt: %s\n", error.what());
  return 1;
}
