// The one exception type of takt.
//
//   try {
//     takt::StageExecutor infer("model.onnx");
//   } catch (const takt::Error& error) {
//     std::cerr << error.what() << '\n';                        // one sentence: where, what is wrong, what to do
//     return error.kind() == takt::ErrorKind::bad_input ? 2 : 1;
//   }
//
// Thrown when an operation cannot go on; expected outcomes are values instead. The library never prints, exits or
// aborts on what it is given. A message reads "WHERE: what is wrong; what to do", without a class name or an "Error:"
// prefix, and is fit to be shown to a user as it is.
#pragma once

#include <stdexcept>
#include <string>

#include "takt/export.h"

namespace takt {

enum class ErrorKind {
  bad_input,    ///< a file or value that a user gave is wrong
  unsupported,  ///< well-formed, but this build, device or runtime cannot do it
  io,           ///< the operating system refused to read or write
  runtime,      ///< an inference runtime failed
};

/// Catch it by reference; it is a std::runtime_error, too.
class TAKT_EXPORT Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace takt
