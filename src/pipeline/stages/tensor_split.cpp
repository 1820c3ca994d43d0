#include "pipeline/stages/tensor_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/basics/check.h"
#include "base/basics/error.h"
#include "base/basics/text.h"
#include "model/runtime/tensor_checks.h"

namespace takt {
namespace {

[[noreturn]] void refuse_split(const std::string& message) { throw Error(ErrorKind::bad_input, message); }

/// A tensor as `outer` blocks of `rows` rows of `width` bytes (or strings).
struct Blocks {
  std::size_t outer = 1, rows = 0, width = 1;
};

/// Refuses a value whose bytes are not those of its shape.
Blocks blocks_of(const HostTensor& tensor, int axis) {
  if (const auto fault = fault_of(tensor)) refuse_split(fmt::format("tensor '{}' {}", printable(tensor.name), *fault));
  if (axis < 0 || static_cast<std::size_t>(axis) >= tensor.shape.size())
    refuse_split(fmt::format("tensor '{}' {}: it has no axis {} to split along", printable(tensor.name),
                             to_string(tensor.shape), axis));
  Blocks blocks;
  const auto a = static_cast<std::size_t>(axis);
  for (std::size_t d = 0; d < a; ++d) blocks.outer *= static_cast<std::size_t>(tensor.shape[d]);
  blocks.rows = static_cast<std::size_t>(tensor.shape[a]);
  for (std::size_t d = a + 1; d < tensor.shape.size(); ++d) blocks.width *= static_cast<std::size_t>(tensor.shape[d]);
  if (tensor.type == ElementType::string) return blocks;
  const auto bits = type_bits(tensor.type);
  if (!bits || *bits < 8)
    refuse_split(fmt::format("tensor '{}': {} cannot be split", printable(tensor.name), type_name(tensor.type)));
  blocks.width *= static_cast<std::size_t>(*bits / 8);
  return blocks;
}

/// The elements of all blocks' rows from `first` on.
template <typename Element, typename Elements>
std::vector<Element> copied_rows(const Elements& from, const Blocks& whole, std::size_t first, std::size_t count) {
  std::vector<Element> to;
  if (count * whole.width == 0) return to;  // `outer` may be any number then
  to.reserve(whole.outer * count * whole.width);
  for (std::size_t o = 0; o < whole.outer; ++o) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>((o * whole.rows + first) * whole.width);
    to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(count * whole.width));
  }
  return to;
}

/// The blocks of all parts in turn; `elements` gives a part's.
template <typename Element, typename Elements>
std::vector<Element> copied_blocks(const std::vector<SharedTensor>& parts, const std::vector<Blocks>& blocks,
                                   Elements elements) {
  std::vector<Element> to;
  std::size_t size = 0;
  for (const auto& part : parts) size += elements(*part).size();
  if (size == 0) return to;  // `outer` may be any number then
  to.reserve(size);
  for (std::size_t o = 0; o < blocks.front().outer; ++o)
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const auto width = static_cast<std::ptrdiff_t>(blocks[p].rows * blocks[p].width);
      const auto begin = elements(*parts[p]).begin() + static_cast<std::ptrdiff_t>(o) * width;
      to.insert(to.end(), begin, begin + width);
    }
  return to;
}

/// Whether the parts stand one behind the other in one memory, all of it kept by the first one's owner.
bool lie_together(const std::vector<SharedTensor>& parts) {
  const auto& owner = parts.front()->bytes.owner();
  const std::byte* next = parts.front()->bytes.data();
  for (const auto& part : parts) {
    const auto& own = part->bytes.owner();
    if (!own || own.owner_before(owner) || owner.owner_before(own) || part->bytes.data() != next) return false;
    next += part->bytes.size();
  }
  return true;
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
  if (rows < parts) refuse_split(fmt::format("{} rows cannot be split into {} parts; use fewer parts", rows, parts));
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

std::vector<SharedTensor> split_tensor(const SharedTensor& tensor, int axis, const std::vector<std::int64_t>& rows) {
  if (!tensor) refuse_split("a value to split is null; give one");
  const Blocks whole = blocks_of(*tensor, axis);
  if (std::accumulate(rows.begin(), rows.end(), std::int64_t{0}) != static_cast<std::int64_t>(whole.rows))
    refuse_split(fmt::format("tensor '{}' {}: its axis {} is not split into {} rows; give the parts of this tensor",
                             printable(tensor->name), to_string(tensor->shape), axis, fmt::join(rows, " + ")));
  std::vector<SharedTensor> parts;
  std::size_t first = 0;
  for (const std::int64_t count : rows) {
    HostTensor part{tensor->name, tensor->type, tensor->shape, {}, {}};
    part.shape[static_cast<std::size_t>(axis)] = count;
    const auto n = static_cast<std::size_t>(count);
    if (tensor->type == ElementType::string)
      part.strings = copied_rows<std::string>(tensor->strings, whole, first, n);
    else if (whole.outer == 1)
      part.bytes = Bytes(tensor, tensor->bytes.data() + first * whole.width, n * whole.width);
    else
      part.bytes = copied_rows<std::byte>(tensor->bytes, whole, first, n);
    parts.push_back(std::make_shared<HostTensor>(std::move(part)));
    first += n;
  }
  return parts;
}

HostTensor merge_tensors(const std::vector<SharedTensor>& parts, int axis) {
  if (parts.empty()) refuse_split("no parts to merge were given; give one or more");
  if (std::find(parts.begin(), parts.end(), nullptr) != parts.end())
    refuse_split("a part to merge is null; give a value for every part");
  HostTensor merged{parts.front()->name, parts.front()->type, parts.front()->shape, {}, {}};
  const auto a = static_cast<std::size_t>(axis);
  std::vector<Blocks> blocks;
  std::int64_t rows = 0;
  std::size_t size = 0;
  for (const auto& part : parts) {
    blocks.push_back(blocks_of(*part, axis));
    if (part->type != merged.type || !equal_but_for(part->shape, merged.shape, a))
      refuse_split(fmt::format("tensor '{}': parts of {} and {} do not match along axis {}", printable(merged.name),
                               to_string(merged.shape), to_string(part->shape), axis));
    if (__builtin_add_overflow(rows, part->shape[a], &rows))
      refuse_split(fmt::format("tensor '{}': its parts have too many rows", printable(merged.name)));
    size += part->bytes.size();
  }
  merged.shape[a] = rows;
  if (merged.type == ElementType::string)
    merged.strings = copied_blocks<std::string>(
        parts, blocks, [](const HostTensor& part) -> const std::vector<std::string>& { return part.strings; });
  else if (blocks.front().outer == 1 && lie_together(parts))
    merged.bytes = Bytes(parts.front()->bytes.owner(), parts.front()->bytes.data(), size);
  else
    merged.bytes =
        copied_blocks<std::byte>(parts, blocks, [](const HostTensor& part) -> const Bytes& { return part.bytes; });
  return merged;
}

}  // namespace takt
