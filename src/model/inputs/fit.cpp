#include "model/inputs/fit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

bool fits(const Shape& shape, const PartialShape& wanted) {
  if (shape.size() != wanted.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (wanted[i].value && *wanted[i].value != shape[i]) return false;
  return true;
}

/// {1,h,w,c} to {1,c,h,w}.
void put_channels_first(HostTensor& tensor) {
  const Shape& shape = tensor.shape;
  const auto channels = static_cast<std::size_t>(shape[3]);
  const auto pixels = static_cast<std::size_t>(shape[1] * shape[2]);
  const std::size_t size = tensor.bytes.size() / std::max<std::size_t>(1, channels * pixels);
  std::vector<std::byte> planes;
  planes.reserve(tensor.bytes.size());
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t p = 0; p < pixels; ++p) {
      const auto sample = tensor.bytes.begin() + static_cast<std::ptrdiff_t>((p * channels + c) * size);
      planes.insert(planes.end(), sample, sample + static_cast<std::ptrdiff_t>(size));
    }
  tensor.bytes = std::move(planes);
  tensor.shape = {1, shape[3], shape[1], shape[2]};
}

/// `shape` with dimensions of 1 added or dropped in front; nullopt if others would have to go.
std::optional<Shape> with_rank(Shape shape, std::size_t rank) {
  while (shape.size() > rank && shape.front() == 1) shape.erase(shape.begin());
  if (shape.size() > rank) return std::nullopt;
  shape.insert(shape.begin(), rank - shape.size(), 1);
  return shape;
}

/// The one shape of another rank that holds the same values; nullopt if there is none or the choice is open.
std::optional<Shape> other_shape(const Shape& shape, const PartialShape& wanted) {
  if (shape.size() == wanted.size()) return std::nullopt;  // {3,1} for {1,3} is rather a mistake
  if (auto same = with_rank(shape, wanted.size()); same && fits(*same, wanted)) return same;
  const auto fixed = concrete(wanted);
  if (fixed && element_count(*fixed) == element_count(shape)) return fixed;
  return std::nullopt;
}

}  // namespace

void fit_shape(GivenInput& given, const Port& port, std::optional<std::int64_t> batch,
               std::vector<std::string>& notes) {
  HostTensor& tensor = given.value.tensor;
  PartialShape wanted = port.shape;
  if (batch && !wanted.empty()) wanted[0].value.reset();
  if (fits(tensor.shape, wanted)) return;
  const Shape given_shape = tensor.shape;
  if (given.value.as == GivenAs::image) {
    const Shape turned{1, given_shape[3], given_shape[1], given_shape[2]};
    const auto flat = with_rank(turned, wanted.size());
    // A picture without its leading 1 is still a picture: {h,w,c} goes first, as for rank 4.
    const auto straight = with_rank(given_shape, wanted.size());
    if (!(straight && fits(*straight, wanted)) && flat && fits(*flat, wanted)) {
      put_channels_first(tensor);
      tensor.shape = *flat;
      return notes.push_back(fmt::format("{}: the image {} was converted to {} for input '{}', channels first",
                                         given.where, to_string(given_shape), to_string(*flat), printable(port.name)));
    }
  }
  const auto other = other_shape(given_shape, wanted);
  if (!other)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: shape {} does not fit input '{}', which is {} in the model; give values of that shape",
                            given.where, to_string(given_shape), printable(port.name), to_string(port.shape)));
  tensor.shape = *other;
  notes.push_back(fmt::format("{}: shape {} was taken as {} for input '{}'", given.where, to_string(given_shape),
                              to_string(*other), printable(port.name)));
}

void repeat_rows(HostTensor& tensor, std::int64_t batch, const std::string& where) {
  if (tensor.shape.empty() || tensor.shape[0] == batch) return;
  const std::int64_t rows = tensor.shape[0];
  if (rows < 1 || batch % rows != 0)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: {} rows cannot be repeated to --batch-size {}; give a batch size "
                            "that is a multiple of them",
                            where, rows, batch));
  const auto times = static_cast<std::size_t>(batch / rows);
  const std::size_t bytes = tensor.bytes.size(), strings = tensor.strings.size();
  const auto fits_memory = [&](std::size_t size) {
    return size <= static_cast<std::size_t>(largest_tensor_bytes) / times;
  };
  if (!fits_memory(bytes) || !fits_memory(strings * sizeof(std::string)))
    throw Error(
        ErrorKind::bad_input,
        fmt::format("{}: with --batch-size {} it would take more than 8 GiB; choose a smaller one", where, batch));
  tensor.bytes.resize(bytes * times);
  for (std::size_t i = bytes; i < tensor.bytes.size(); ++i) tensor.bytes[i] = tensor.bytes[i - bytes];
  tensor.strings.resize(strings * times);
  for (std::size_t i = strings; i < tensor.strings.size(); ++i) tensor.strings[i] = tensor.strings[i - strings];
  tensor.shape[0] = batch;
}

}  // namespace takt
