// make_zoo FOLDER: writes the models of zoo.h.
#include <cstdio>
#include <exception>

#include "cli/odd_models.h"

int main(int count, char** arguments) {
  if (count != 2) return std::fputs("usage: make_zoo FOLDER\n", stderr), 2;
  try {
    takt::write_zoo(arguments[1]);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "make_zoo: %s\n", error.what()), 1;
  }
}
