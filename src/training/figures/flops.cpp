#include "training/figures/flops.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace takt {
namespace {

using Shape = std::vector<double>;

/// The arguments of one call.
struct Call {
  std::vector<Shape> dims;
  nlohmann::json concrete;

  const Shape* shape(std::size_t at, std::size_t rank) const {
    return at < dims.size() && dims[at].size() == rank ? &dims[at] : nullptr;
  }
  std::string text(std::size_t at) const {
    return concrete.is_array() && at < concrete.size() && concrete[at].is_string() ? concrete[at].get<std::string>()
                                                                                   : std::string();
  }
  /// "[2, 2]": numbers of a list among the other arguments; nullopt: not recorded.
  std::optional<std::vector<double>> numbers(std::size_t at) const {
    const auto list = nlohmann::json::parse(text(at), nullptr, false);
    if (!list.is_array()) return std::nullopt;
    std::vector<double> numbers;
    for (const auto& one : list) {
      if (!one.is_number()) return std::nullopt;
      numbers.push_back(one.get<double>());
    }
    return numbers;
  }
};

double product(const Shape& shape, std::size_t from = 0) {
  double all = 1;
  for (std::size_t i = from; i < shape.size(); ++i) all *= shape[i];
  return all;
}

/// a and b: where the two matrices are among the arguments; rank 3 with a batch in front.
std::optional<double> matrices(const Call& call, std::size_t a, std::size_t b, std::size_t rank) {
  const Shape *first = call.shape(a, rank), *second = call.shape(b, rank);
  if (first == nullptr || second == nullptr || first->back() != (*second)[rank - 2]) return std::nullopt;
  return 2 * product(*first) * second->back();
}

std::optional<double> convolution(const Call& call) {
  if (call.dims.size() < 2 || call.dims[0].size() < 3 || call.dims[0].size() != call.dims[1].size())
    return std::nullopt;
  const Shape &input = call.dims[0], &weight = call.dims[1];
  if (call.text(6) == "True") return 2 * product(input) * product(weight, 1);
  const auto stride = call.numbers(3), padding = call.numbers(4), dilation = call.numbers(5);
  const std::size_t axes = input.size() - 2;
  if (!stride || !padding || !dilation) return std::nullopt;
  for (const auto* list : {&*stride, &*padding, &*dilation}) {
    if (list->size() != axes && list->size() != 1) return std::nullopt;
  }
  const auto of_axis = [](const std::vector<double>& list, std::size_t axis) {
    return list[list.size() == 1 ? 0 : axis];
  };
  double outputs = input[0] * weight[0];
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const double step = of_axis(*stride, axis);
    if (step < 1) return std::nullopt;
    const double reach = of_axis(*dilation, axis) * (weight[axis + 2] - 1) + 1;
    const double room = input[axis + 2] + 2 * of_axis(*padding, axis) - reach;
    if (room < 0) return std::nullopt;
    outputs *= static_cast<double>(static_cast<std::int64_t>(room / step)) + 1;
  }
  return 2 * outputs * product(weight, 1);
}

std::optional<double> convolution_backward(const Call& call) {
  if (call.dims.size() < 3 || call.dims[2].size() < 3) return std::nullopt;
  const std::string transposed = call.text(7), wanted = call.text(10);
  if (transposed.empty() || wanted.empty()) return std::nullopt;
  const double one = 2 * product(call.dims[transposed == "True" ? 1 : 0]) * product(call.dims[2], 1);
  // "[True, True, False]": the gradients of the input, the weights and the bias, which is no product.
  const bool of_input = wanted.starts_with("[True"), of_weights = wanted.find(", True, ") != wanted.npos;
  return one * (static_cast<double>(of_input) + static_cast<double>(of_weights));
}

/// Of queries B x H x L x E, keys B x H x S x E and values B x H x S x V, which begin at `query`: products of the scores'
/// size with E and with V.
std::optional<double> attention(const Call& call, std::size_t query, double of_keys, double of_values) {
  const Shape *q = call.shape(query, 4), *k = call.shape(query + 1, 4), *v = call.shape(query + 2, 4);
  if (q == nullptr || k == nullptr || v == nullptr) return std::nullopt;
  const double scores = (*q)[0] * (*q)[1] * (*q)[2] * (*k)[2];
  return 2 * scores * (of_keys * (*q)[3] + of_values * (*v)[3]);
}

using Formula = std::optional<double> (*)(const Call&);
struct Counted {
  std::string_view op;
  Formula formula;
};
constexpr Formula attention_forward = [](const Call& call) { return attention(call, 0, 1, 1); };
constexpr Formula attention_backward = [](const Call& call) { return attention(call, 1, 3, 2); };
constexpr std::array counted_ops{
    Counted{"aten::mm", [](const Call& call) { return matrices(call, 0, 1, 2); }},
    Counted{"aten::addmm", [](const Call& call) { return matrices(call, 1, 2, 2); }},
    Counted{"aten::bmm", [](const Call& call) { return matrices(call, 0, 1, 3); }},
    Counted{"aten::baddbmm", [](const Call& call) { return matrices(call, 1, 2, 3); }},
    Counted{"aten::convolution", convolution},
    Counted{"aten::convolution_backward", convolution_backward},
    Counted{"aten::_scaled_dot_product_flash_attention", attention_forward},
    Counted{"aten::_scaled_dot_product_efficient_attention", attention_forward},
    Counted{"aten::_scaled_dot_product_cudnn_attention", attention_forward},
    Counted{"aten::_scaled_dot_product_flash_attention_for_cpu", attention_forward},
    Counted{"aten::_scaled_dot_product_flash_attention_backward", attention_backward},
    Counted{"aten::_scaled_dot_product_efficient_attention_backward", attention_backward},
    Counted{"aten::_scaled_dot_product_cudnn_attention_backward", attention_backward},
    Counted{"aten::_scaled_dot_product_flash_attention_for_cpu_backward", attention_backward},
};

const Counted* counted(std::string_view op) {
  const auto found = std::find_if(counted_ops.begin(), counted_ops.end(), [&](const Counted& c) { return c.op == op; });
  return found == counted_ops.end() ? nullptr : &*found;
}

}  // namespace

std::optional<double> flops_of_call(std::string_view op, std::string_view dims, std::string_view concrete) {
  const Counted* const one = counted(op);
  if (one == nullptr) return std::nullopt;
  const auto shapes = nlohmann::json::parse(dims, nullptr, false);
  if (!shapes.is_array()) return std::nullopt;
  Call call;
  for (const auto& shape : shapes) {
    Shape& sizes = call.dims.emplace_back();
    if (!shape.is_array()) continue;
    for (const auto& size : shape) sizes.push_back(size.is_number() ? size.get<double>() : -1);
    if (std::any_of(sizes.begin(), sizes.end(), [](double size) { return !(size >= 0); })) sizes.clear();
  }
  call.concrete = nlohmann::json::parse(concrete, nullptr, false);
  return one->formula(call);
}

FlopCount::FlopCount(const Trace& trace) : trace_(trace) {
  for (std::size_t i = 0; i < trace.strings().size(); ++i) {
    const auto id = static_cast<StringId>(i);
    if (trace.text(id) == "Input Dims") dims_ = id;
    if (trace.text(id) == "Concrete Inputs") concrete_ = id;
  }
}

std::optional<double> FlopCount::of(const HostSpan& op) const {
  if (!dims_) return std::nullopt;
  const auto [known, is_new] = counted_.try_emplace(op.name);
  if (is_new) known->second = counted(trace_.text(op.name)) != nullptr;
  if (!known->second) return std::nullopt;
  std::string_view dims, concrete;
  for (const TraceArg arg : trace_.args(trace_.events()[static_cast<std::size_t>(op.event)])) {
    const auto* list = std::get_if<TraceJson>(&arg.value);
    if (list == nullptr) continue;
    if (arg.key == *dims_) dims = trace_.text(list->text);
    if (concrete_ && arg.key == *concrete_) concrete = trace_.text(list->text);
  }
  return flops_of_call(trace_.text(op.name), dims, concrete);
}

}  // namespace takt
