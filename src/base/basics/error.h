// The exception type of takt (takt/error.h), and the one of a wrong command line.
//
// Error is caught in one place, `cli/main.cpp`, which prints the message as a single line and picks the exit code.
#pragma once

#include <stdexcept>

#include "takt/error.h"

namespace takt {

/// Refuses what a user gave.
[[noreturn]] inline void refuse_input(const std::string& message) { throw Error(ErrorKind::bad_input, message); }

/// A wrong command line; `cli/main.cpp` turns it into exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What was asked cannot be told from what was measured; `cli/main.cpp` turns it into exit code 3.
class Inconclusive : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace takt
