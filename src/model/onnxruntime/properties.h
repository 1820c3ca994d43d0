// ONNX Runtime's own settings by its own names: a key with a dot is an entry of the session's configuration (cuda.KEY:
// an option of the CUDA provider), one without is an attribute of SessionOptions as Python spells it.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <string>
#include <vector>

#include "model/runtime/runtime.h"

namespace takt::ort {

/// Operators of these libraries, for sessions with these options. Throws Ort::Exception.
void add_custom_ops(Ort::SessionOptions& options, const std::vector<std::filesystem::path>& libraries);

/// What takt's own names for `threads` and `tuning` stand for.
Properties properties_of(std::optional<int> threads, const Tuning& tuning);

/// ONNX Runtime takes any key and ignores what it does not know. Throws Error(bad_input) for a key that is nearly a
/// known one, and for a value that an attribute does not take; returns a note on every other key that nobody knows.
std::vector<std::string> check_properties(const Properties& properties, const std::string& where);

/// `properties` have been checked.
void set_properties(Ort::SessionOptions& options, const Properties& properties);

/// The CUDA provider with its options among `properties`.
void append_cuda(Ort::SessionOptions& options, const Properties& properties);

}  // namespace takt::ort
