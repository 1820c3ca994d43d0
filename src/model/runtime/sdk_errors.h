// The boundary between a foreign SDK and takt: what the SDK throws becomes one sentence that names model and runtime,
// and so does a crash in it.
#pragma once

#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/basics/crash.h"
#include "base/basics/error.h"

namespace takt {

/// A foreign message as one sentence: line ends collapsed, C++ source positions and function names cut, at most 300
/// characters.
std::string one_sentence(std::string_view foreign);

/// "model.onnx: openvino": the beginning of every error about a model.
std::string where(const std::filesystem::path& model, std::string_view runtime);

using KindOfError = ErrorKind (*)(const std::exception&);
ErrorKind failure_while_running(const std::exception&);  ///< ErrorKind::runtime

/// Where a call to an SDK happens, the beginning of each sentence about it, and what is done, for the sentence about a
/// crash: "running it"; empty where `where` says it.
struct SdkCall {
  template <typename Text>
  SdkCall(const Text& place, std::string_view what = {}) : where(place), step(what) {}
  std::string_view where, step;
};

inline constexpr std::string_view running_it = "running it";  ///< the step of an inference

/// What was thrown, as one sentence.
std::string reason_of_failure(const std::exception_ptr& failure);

/// The result of `call`. What is thrown in it, by the SDK or (bad_alloc, length_error: sizes out of a hostile model) on
/// its behalf, becomes Error("WHERE: its message"); an Error passes as it is.
template <typename Call>
auto guarded(const SdkCall& of, const Call& call, KindOfError kind_of = failure_while_running) -> decltype(call()) {
  const ForeignCall noted(of.where, of.step);
  try {
    return call();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    throw Error(kind_of(e), std::string(of.where) + ": " + one_sentence(e.what()));
  } catch (...) {
    throw Error(ErrorKind::runtime, std::string(of.where) + ": " + reason_of_failure(std::current_exception()));
  }
}

}  // namespace takt
