#include "pipeline/tensor_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/check.h"
#include "core/error.h"
#include "inputs/tensor_values.h"

namespace takt {
namespace {

[[noreturn]] void refuse_split(const std::string& message) { throw Error(ErrorKind::bad_input, message); }

/// A tensor as `outer` blocks of `rows` rows of `width` bytes (or strings).
struct Blocks {
  std::size_t outer = 1, rows = 0, width = 1;
};

Blocks blocks_of(const HostTensor& tensor, int axis) {
  if (axis < 0 || static_cast<std::size_t>(axis) >= tensor.shape.size())
    refuse_split(fmt::format("tensor '{}' {}: it has no axis {} to be divided along", tensor.name,
                             to_string(tensor.shape), axis));
  Blocks blocks;
  const auto a = static_cast<std::size_t>(axis);
  for (std::size_t d = 0; d < a; ++d) blocks.outer *= static_cast<std::size_t>(tensor.shape[d]);
  blocks.rows = static_cast<std::size_t>(tensor.shape[a]);
  for (std::size_t d = a + 1; d < tensor.shape.size(); ++d) blocks.width *= static_cast<std::size_t>(tensor.shape[d]);
  if (tensor.type == ElementType::string) return blocks;
  const auto bits = type_bits(tensor.type);
  if (!bits || *bits < 8)
    refuse_split(fmt::format("tensor '{}': {} cannot be divided", tensor.name, type_name(tensor.type)));
  blocks.width *= static_cast<std::size_t>(*bits / 8);
  return blocks;
}

template <typename Element>
void copy_rows(const std::vector<Element>& from, const Blocks& whole, std::size_t first, std::size_t count,
               std::vector<Element>& to) {
  for (std::size_t o = 0; o < whole.outer; ++o) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>((o * whole.rows + first) * whole.width);
    to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(count * whole.width));
  }
}

bool equal_but_for(const Shape& a, const Shape& b, std::size_t axis) {
  if (a.size() != b.size()) return false;
  for (std::size_t d = 0; d < a.size(); ++d)
    if (d != axis && a[d] != b[d]) return false;
  return true;
}

}  // namespace

std::vector<std::int64_t> rows_of(const std::vector<double>& ratio, std::int64_t rows) {
  const auto parts = static_cast<std::int64_t>(ratio.size());
  if (rows < parts) refuse_split(fmt::format("{} rows cannot be divided into {} parts; use fewer parts", rows, parts));
  std::vector<std::int64_t> result;
  std::vector<std::pair<double, std::size_t>> remainders;
  for (std::size_t p = 0; p < ratio.size(); ++p) {
    const double exact = ratio[p] * static_cast<double>(rows);
    result.push_back(std::max<std::int64_t>(1, static_cast<std::int64_t>(exact)));
    remainders.emplace_back(static_cast<double>(result.back()) - exact, p);
  }
  std::stable_sort(remainders.begin(), remainders.end());
  std::int64_t left = rows - std::accumulate(result.begin(), result.end(), std::int64_t{0});
  for (std::size_t i = 0; left > 0; i = (i + 1) % remainders.size(), --left) ++result[remainders[i].second];
  for (; left < 0; ++left) --*std::max_element(result.begin(), result.end());
  TAKT_CHECK(std::accumulate(result.begin(), result.end(), std::int64_t{0}) == rows);
  return result;
}

std::vector<HostTensor> split_tensor(const HostTensor& tensor, int axis, const std::vector<std::int64_t>& rows) {
  const Blocks whole = blocks_of(tensor, axis);
  if (std::accumulate(rows.begin(), rows.end(), std::int64_t{0}) != static_cast<std::int64_t>(whole.rows))
    refuse_split(fmt::format("tensor '{}' {}: its axis {} is not divided into {} rows; give it its own parts",
                             tensor.name, to_string(tensor.shape), axis, fmt::join(rows, " + ")));
  std::vector<HostTensor> parts;
  std::size_t first = 0;
  for (const std::int64_t count : rows) {
    auto& part = parts.emplace_back(HostTensor{tensor.name, tensor.type, tensor.shape, {}, {}});
    part.shape[static_cast<std::size_t>(axis)] = count;
    const auto n = static_cast<std::size_t>(count);
    if (tensor.type == ElementType::string) {
      copy_rows(tensor.strings, whole, first, n, part.strings);
    } else {
      part.bytes.reserve(whole.outer * n * whole.width);
      copy_rows(tensor.bytes, whole, first, n, part.bytes);
    }
    first += n;
  }
  return parts;
}

HostTensor merge_tensors(const std::vector<const HostTensor*>& parts, int axis) {
  if (parts.empty()) refuse_split("there are no parts to merge; give one or more");
  HostTensor merged{parts.front()->name, parts.front()->type, parts.front()->shape, {}, {}};
  const auto a = static_cast<std::size_t>(axis);
  std::vector<Blocks> blocks;
  std::int64_t rows = 0;
  for (const HostTensor* part : parts) {
    blocks.push_back(blocks_of(*part, axis));
    if (part->type != merged.type || !equal_but_for(part->shape, merged.shape, a))
      refuse_split(fmt::format("tensor '{}': parts of {} and {} do not fit each other along axis {}", merged.name,
                               to_string(merged.shape), to_string(part->shape), axis));
    rows += part->shape[a];
  }
  merged.shape[a] = rows;
  const auto copy_block = [](const auto& from, const Blocks& b, std::size_t o, auto& to) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(o * b.rows * b.width);
    to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(b.rows * b.width));
  };
  for (std::size_t o = 0; o < blocks.front().outer; ++o)
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (merged.type == ElementType::string)
        copy_block(parts[p]->strings, blocks[p], o, merged.strings);
      else
        copy_block(parts[p]->bytes, blocks[p], o, merged.bytes);
    }
  return merged;
}

std::string difference(const HostTensor& expected, const HostTensor& actual, double tolerance) {
  if (expected.type != actual.type || expected.shape != actual.shape)
    return fmt::format("output '{}' is {} {} instead of {} {}", expected.name, type_name(actual.type),
                       to_string(actual.shape), type_name(expected.type), to_string(expected.shape));
  double largest = 0;
  for (std::size_t i = 0; i < count_of(expected); ++i)
    if (const auto value = value_at(expected, i); value && std::isfinite(*value))
      largest = std::max(largest, std::abs(*value));
  for (std::size_t i = 0; i < count_of(expected); ++i) {
    const auto a = value_at(expected, i), b = value_at(actual, i);
    if (!a || !b) return expected.bytes == actual.bytes ? "" : fmt::format("output '{}' differs", expected.name);
    const bool same = std::isnan(*a) ? std::isnan(*b) : *a == *b || std::abs(*a - *b) <= tolerance * largest;
    if (!same)
      return fmt::format("output '{}' differs at {}: {} instead of {}", expected.name, index_text(expected.shape, i),
                         *b, *a);
  }
  return "";
}

}  // namespace takt
