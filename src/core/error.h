// The one exception type of takt.
//
// Thrown when an operation cannot go on (bad file, unsupported operator, runtime failure); expected outcomes are
// values instead. It is caught in one place, `cli/main.cpp`, which prints the message as a single line and picks the
// exit code. A message reads "WHERE: what is wrong; what to do", without a class name or an "Error:" prefix.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace takt {

enum class ErrorKind {
  bad_input,    ///< a file or value that a user gave is wrong
  unsupported,  ///< well-formed, but this build, device or runtime cannot do it
  io,           ///< the operating system refused to read or write
  runtime,      ///< an inference runtime failed
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

/// A wrong command line; `cli/main.cpp` turns it into exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace takt
