// The boundary between a foreign SDK and takt: what the SDK throws becomes one sentence that names model and runtime.
#pragma once

#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/error.h"

namespace takt {

/// A foreign message as one sentence: line ends collapsed, C++ source positions and function names cut, at most 300
/// characters.
std::string one_sentence(std::string_view foreign);

/// "model.onnx: openvino": the beginning of every error about a model.
std::string where(const std::filesystem::path& model, std::string_view runtime);

using KindOfError = ErrorKind (*)(const std::exception&);
ErrorKind failure_while_running(const std::exception&);  ///< ErrorKind::runtime

/// The result of `call`. What is thrown in it, by the SDK or (bad_alloc, length_error: sizes out of a hostile model) on
/// its behalf, becomes Error("WHERE: its message"); an Error passes as it is.
template <typename Call>
auto guarded(std::string_view where, const Call& call, KindOfError kind_of = failure_while_running)
    -> decltype(call()) {
  try {
    return call();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    throw Error(kind_of(e), std::string(where) + ": " + one_sentence(e.what()));
  }
}

}  // namespace takt
