#include "model/onnx/subnormal_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "model/onnx/weights.h"
#include "onnx-ml.pb.h"

namespace takt {
namespace {

constexpr std::size_t most_looked_at = 1 << 16, block = 1 << 10;

/// The share of subnormal numbers among those of a tensor's bytes, of which large ones are looked at in blocks.
template <typename Number>
double subnormal_share(std::string_view bytes) {
  const std::size_t count = bytes.size() / sizeof(Number);
  const std::size_t blocks = count > most_looked_at ? most_looked_at / block : 1;
  const std::size_t length = blocks == 1 ? count : block;
  std::size_t found = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t begin = blocks == 1 ? 0 : i * (count - length) / (blocks - 1);
    for (std::size_t at = begin; at < begin + length; ++at) {
      Number number;
      std::memcpy(&number, bytes.data() + at * sizeof(Number), sizeof(Number));
      found += std::fpclassify(number) == FP_SUBNORMAL ? 1 : 0;
    }
  }
  return count == 0 ? 0 : static_cast<double>(found) / static_cast<double>(blocks * length);
}

template <typename Numbers>
std::string_view bytes_of(const Numbers& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()),
          sizeof(*numbers.data()) * static_cast<std::size_t>(numbers.size())};
}

class Search {
 public:
  explicit Search(const std::filesystem::path& model) : files_(model) {}

  void look_at(const onnx::GraphProto& graph) {
    for (const auto& tensor : graph.initializer()) look_at(tensor, tensor.name());
    for (const auto& node : graph.node())
      for (const auto& attribute : node.attribute()) {
        if (attribute.has_t() && node.output_size() > 0) look_at(attribute.t(), node.output(0));
        if (attribute.has_g()) look_at(attribute.g());
        for (const auto& body : attribute.graphs()) look_at(body);
      }
  }

  std::optional<SubnormalWeights> found;

 private:
  void look_at(const onnx::TensorProto& tensor, const std::string& name) {
    const double share = share_in(tensor);
    if (!(share > 0)) return;
    if (!found) {
      found = SubnormalWeights{name, share, 0};
    } else {
      ++found->others;
      if (share > found->share) found->worst = name, found->share = share;
    }
  }

  double share_in(const onnx::TensorProto& tensor) try {
    const bool is_double = tensor.data_type() == onnx::TensorProto::DOUBLE;
    if (!is_double && tensor.data_type() != onnx::TensorProto::FLOAT) return 0;
    if (tensor.data_location() == onnx::TensorProto::EXTERNAL) return share_in(files_.values_of(tensor), is_double);
    if (tensor.has_raw_data()) return share_in(tensor.raw_data(), is_double);
    return share_in(is_double ? bytes_of(tensor.double_data()) : bytes_of(tensor.float_data()), is_double);
  } catch (const Error&) {
    return 0;
  }

  static double share_in(std::string_view bytes, bool is_double) {
    return is_double ? subnormal_share<double>(bytes) : subnormal_share<float>(bytes);
  }

  WeightFiles files_;
};

/// "34 %", "less than 0.1 %".
std::string share_words(double share) {
  const double percent = 100 * share;
  return percent < 0.1 ? "less than 0.1 %" : fmt::format("{:.{}f} %", percent, percent < 10 ? 1 : 0);
}

}  // namespace

std::optional<SubnormalWeights> subnormal_weights(const onnx::ModelProto& proto, const std::filesystem::path& model) {
  Search search(model);
  search.look_at(proto.graph());
  return search.found;
}

std::string subnormal_sentence(const SubnormalWeights& weights, const Properties& zeros) {
  std::string others, options;
  if (weights.others > 0)
    others = fmt::format(" and some of {} other{}", weights.others, weights.others == 1 ? "" : "s");
  for (const auto& [key, value] : zeros) options += fmt::format(" --property {}={}", key, value);
  return fmt::format(
      "{} (closer to 0 than 1.2e-38): {} of {}{}; processors can take a hundred times longer over them;{} "
      "computes with zeros instead",
      subnormal_words, share_words(weights.share), printable(weights.worst), others, options);
}

}  // namespace takt
