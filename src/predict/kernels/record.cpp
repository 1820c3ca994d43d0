#include "predict/kernels/record.h"

#include <fmt/format.h>

#include <cctype>

#include "base/basics/text.h"
#include "predict/kernels/record_json.h"

namespace takt {
namespace {

constexpr std::size_t longest_name = 80;  // of a file system's 255; hostile models have hostile types

std::string fit_for_a_file(std::string_view text) {
  std::string fit;
  for (const char c : text.substr(0, longest_name))
    fit += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' ? c : '-';
  return fit.empty() ? "kernel" : fit;
}

}  // namespace

std::string shape_text(const std::vector<KernelTensor>& tensors) {
  for (const KernelTensor& tensor : tensors) {
    if (tensor.kind == KernelInput::left_out) continue;
    return tensor.shape.empty() ? "scalar" : fmt::format("{}", fmt::join(tensor.shape, "x"));
  }
  return {};
}

std::string key_of(const KernelRecord& record) { return key_json(record); }

std::string id_of(const KernelRecord& record) {
  const std::string shape = shape_text(record.outputs);
  return fmt::format("{}_{}{}{:016x}", fit_for_a_file(record.name), shape.substr(0, longest_name),
                     shape.empty() ? "" : "_", fingerprint(key_of(record)));
}

}  // namespace takt
