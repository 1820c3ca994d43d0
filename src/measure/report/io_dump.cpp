#include "measure/report/io_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "model/inputs/tensor_dump.h"
#include "model/inputs/tensor_values.h"

namespace takt {
namespace {

constexpr std::size_t shown_values = 5;

/// Numbers of less than a byte, the first of a byte in its low bits, as floats; nullopt: it has none.
std::optional<HostTensor> unpacked(const HostTensor& tensor) {
  static constexpr float quarter_floats[] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};  // f4e2m1 without its sign
  const auto bits = type_bits(tensor.type);
  if (tensor.type == ElementType::string || !bits || *bits >= 8) return std::nullopt;
  const auto width = static_cast<std::size_t>(*bits), in_a_byte = 8 / width;
  const int sign = 1 << (width - 1);
  const bool is_signed = tensor.type == ElementType::i4 || tensor.type == ElementType::i2;
  std::size_t count = 1;
  for (const auto size : tensor.shape) count *= static_cast<std::size_t>(size);
  count = std::min(count, tensor.bytes.size() * in_a_byte);
  HostTensor wide{tensor.name, ElementType::f32, tensor.shape, {}, {}};
  wide.bytes.resize(count * sizeof(float));
  for (std::size_t i = 0; i < count; ++i) {
    const int code = (std::to_integer<int>(tensor.bytes[i / in_a_byte]) >> (i % in_a_byte * width)) & (2 * sign - 1);
    const float value = tensor.type == ElementType::f4e2m1
                            ? (code & sign ? -1.0F : 1.0F) * quarter_floats[code & (sign - 1)]
                            : static_cast<float>(is_signed && (code & sign) ? code - 2 * sign : code);
    std::memcpy(wide.bytes.data() + i * sizeof value, &value, sizeof value);
  }
  return wide;
}

std::string first_values(const HostTensor& tensor) {
  if (const auto wide = unpacked(tensor)) return first_values(*wide);
  std::string text = "[";
  const std::size_t count = count_of(tensor);
  for (std::size_t i = 0; i < std::min(count, shown_values); ++i) {
    text += i ? ", " : "";
    const auto value = tensor.type == ElementType::string ? std::nullopt : value_at(tensor, i);
    text += value                                ? fmt::format("{:.4g}", *value)
            : tensor.type == ElementType::string ? json_quote(tensor.strings[i])
                                                 : std::string("?");
  }
  return text + (count > shown_values ? ", ...]" : "]");
}

/// Over all values; l2 is the root of the mean square, sd the sample standard deviation.
std::string statistics(const HostTensor& tensor) {
  if (const auto wide = unpacked(tensor)) return statistics(*wide);
  const std::size_t count = count_of(tensor);
  if (count == 0 || tensor.type == ElementType::string || !value_at(tensor, 0)) return "";
  double low = INFINITY, high = -INFINITY, sum = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = *value_at(tensor, i);
    low = std::fmin(low, value), high = std::fmax(high, value);
    sum += value, squares += value * value;
  }
  const auto n = static_cast<double>(count);
  const double mean = sum / n;
  double distance = 0;
  for (std::size_t i = 0; i < count; ++i) distance += (*value_at(tensor, i) - mean) * (*value_at(tensor, i) - mean);
  const std::string deviation = count > 1 ? fmt::format("{:.3g}", std::sqrt(distance / (n - 1))) : "N/A";
  return fmt::format(" min={:.3g} max={:.3g} mean={:.3g} l2={:.3g} sd={}", low, high, mean, std::sqrt(squares / n),
                     deviation);
}

std::string layout(const HostTensor& tensor) {
  return fmt::format("{{{} {}}}", fmt::join(tensor.shape, ","), type_name(tensor.type));
}

using Producers = std::map<std::string, const Op*>;

Producers producers_of(const Graph* graph) {
  Producers producers;
  if (graph)
    for (const auto& op : graph->ops)
      for (const auto id : op.outputs)
        if (id != no_tensor) producers[graph->tensor(id).name] = &op;
  return producers;
}

}  // namespace

std::string dump_text(const std::vector<HostTensor>& tensors, const Graph* graph) {
  const Producers producers = producers_of(graph);
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < tensors.size(); ++i) numbers.emplace(tensors[i].name, i);
  std::string text;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& tensor = tensors[i];
    const auto found = producers.find(tensor.name);
    const Op* op = found == producers.end() ? nullptr : found->second;
    text += fmt::format("var{} {}: name={} layout={}{}\n", i, op ? "produced" : "given", printable(tensor.name),
                        layout(tensor), op ? fmt::format(" owner_opr={}{{{}}}", printable(op->name), op->type) : "");
    if (op) text += " deps:\n";
    for (std::size_t k = 0; op && k < op->inputs.size(); ++k) {
      if (op->inputs[k] == no_tensor) continue;
      const auto& input = graph->tensor(op->inputs[k]);
      const auto number = numbers.find(input.name);
      text +=
          number == numbers.end()
              ? fmt::format("  [i{}]{}: <{} {}>\n", k, printable(input.name),
                            input.is_constant ? "constant" : "not dumped", input.shape ? to_string(*input.shape) : "?")
              : fmt::format("  [i{}]var{}: {}\n", k, number->second, first_values(tensors[number->second]));
    }
    text += fmt::format(" val: {}{}\n", first_values(tensor), statistics(tensor));
  }
  return text;
}

std::size_t dump_binaries(const std::vector<HostTensor>& tensors, const std::filesystem::path& folder,
                          const std::string& prefix) {
  if (!std::filesystem::is_directory(folder))
    throw Error(ErrorKind::io, fmt::format("{}: no such folder; make it first", printable(folder.string())));
  std::size_t written = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!fits_dump(tensors[i])) continue;
    write_file_atomically(folder / fmt::format("{}{:06x}", prefix, i), dump_binary(tensors[i]));
    ++written;
  }
  return written;
}

}  // namespace takt
