#include "plan/estimate/rounding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

namespace takt {
namespace {

/// What sums in another order, in float32, are off by as a share of their terms: some times its 6e-8.
constexpr double of_float32 = 1e-6;
/// Twice the unit of rounding: one on the way in and one on the way out.
constexpr double of_half = 0x1p-10, of_brain = 0x1p-7;
constexpr double least_half = 0x1p-24;  ///< numbers that are smaller are 0 in float16
constexpr double half_a_step = 0.5 / 127;

bool is_quantised_type(ElementType type) {
  static constexpr std::array types{ElementType::u4,     ElementType::i4,         ElementType::u2,
                                    ElementType::i2,     ElementType::f4e2m1,     ElementType::f8e4m3fn,
                                    ElementType::f8e5m2, ElementType::f8e4m3fnuz, ElementType::f8e5m2fnuz};
  return std::find(types.begin(), types.end(), type) != types.end();
}

/// QuantizeLinear, DequantizeLinear, QLinearConv, MatMulInteger, ConvInteger, MatMulNBits, ….
bool is_quantised(const Op& op) {
  return op.type.find("uantize") != op.type.npos || op.type.starts_with("QLinear") ||
         op.type.starts_with("QAttention") || op.type.starts_with("QGemm") || op.type.ends_with("Integer") ||
         op.type.ends_with("NBits") || op.type.ends_with("Bnb4");
}

Coarseness of_tensor(const Tensor& tensor) {
  return is_quantised_type(tensor.type) ? Coarseness::step : coarseness_of(tensor.type);
}

/// Never to the other side of 0.
double moved(double number, double by) {
  const double there = number + by;
  return there * number > 0 || number == 0 ? there : number / 2;
}

template <typename Number, typename Change>
SharedTensor changed(const HostTensor& value, const Change& change) {
  HostTensor made = value;
  std::vector<std::byte> bytes(value.bytes.data(), value.bytes.data() + value.bytes.size());
  for (std::size_t at = 0; at + sizeof(Number) <= bytes.size(); at += sizeof(Number)) {
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    number = change(number);
    std::memcpy(bytes.data() + at, &number, sizeof number);
  }
  made.bytes = std::move(bytes);
  return std::make_shared<const HostTensor>(std::move(made));
}

/// By how much a number may be off.
class Change {
 public:
  Change(Coarseness rounding, double range, Random& random) : rounding_(rounding), range_(range), random_(random) {}

  template <typename Real>
  Real operator()(Real number) const {
    if (number == 0 || !std::isfinite(number)) return number;
    const double by = reach(std::abs(static_cast<double>(number))) * (2 * uniform(random_) - 1);
    // What is as large as it can be stays so: rounding makes no infinity of it.
    const double there = moved(number, by), most = std::numeric_limits<Real>::max();
    return static_cast<Real>(std::clamp(there, -most, most));
  }

 private:
  double reach(double magnitude) const {
    switch (rounding_) {
      case Coarseness::half:
        return magnitude * of_half + least_half;
      case Coarseness::brain:
        return magnitude * of_brain;
      case Coarseness::step:
        return std::max(range_, magnitude) * half_a_step;
      default:
        return magnitude * of_float32;
    }
  }

  Coarseness rounding_;
  double range_;
  Random& random_;
};

template <typename Number>
SharedTensor moved_by_one(const HostTensor& value, Random& random) {
  return changed<Number>(value, [&](Number number) {
    const int there = static_cast<int>(number) + static_cast<int>(random() % 3) - 1;
    return static_cast<Number>(
        std::clamp<int>(there, std::numeric_limits<Number>::min(), std::numeric_limits<Number>::max()));
  });
}

}  // namespace

std::string_view words_for(Coarseness rounding) {
  switch (rounding) {
    case Coarseness::half:
      return "by the rounding of float16";
    case Coarseness::brain:
      return "by the rounding of bfloat16";
    case Coarseness::step:
      return "by half a step of 8 bits";
    default:
      return "by a millionth";
  }
}

Coarseness coarseness_of(ElementType type) {
  return type == ElementType::f16    ? Coarseness::half
         : type == ElementType::bf16 ? Coarseness::brain
                                     : Coarseness::float32;
}

Coarseness coarseness_of(const Graph& graph) {
  Coarseness coarsest = Coarseness::float32;
  for (const Tensor& tensor : graph.tensors) coarsest = std::max(coarsest, of_tensor(tensor));
  for (const Op& op : graph.ops) {
    if (is_quantised(op)) coarsest = Coarseness::step;
    for (const auto& [name, body] : op.subgraphs) coarsest = std::max(coarsest, coarseness_of(*body));
  }
  return coarsest;
}

SharedTensor rounded_otherwise(const SharedTensor& value, Coarseness rounding, Random& random) {
  if (!value) return value;
  const Change change(rounding, rounding == Coarseness::step ? usual_size(*value) : 0, random);
  if (value->type == ElementType::f32) return changed<float>(*value, change);
  if (value->type == ElementType::f64) return changed<double>(*value, change);
  if (rounding == Coarseness::step && value->type == ElementType::i8) return moved_by_one<std::int8_t>(*value, random);
  if (rounding == Coarseness::step && value->type == ElementType::u8) return moved_by_one<std::uint8_t>(*value, random);
  return value;
}

}  // namespace takt
