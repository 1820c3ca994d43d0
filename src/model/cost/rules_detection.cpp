// Rules of operators that pick out of images and lists of boxes: sampling at points, boxes that overlap, transforms.
#include <algorithm>
#include <cmath>

#include "model/cost/rules.h"

namespace takt {

// Bilinear: per output element four taps, each a product and a sum, and per sampled point (output elements / channels)
// 12 for its place and weights. Nearest: the 4 of its place. Cubic: 16 taps, 32 for the weights.
std::optional<Work> grid_sample(const OpView& op, const CostRule&) {
  const auto elements = op.output_elements();
  const auto from = op.input_shape(0);
  if (!elements || !from || from->size() < 4 || (*from)[1] < 1) return std::nullopt;
  const double points = *elements / static_cast<double>((*from)[1]);
  const double corners = std::ldexp(1.0, static_cast<int>(from->size()) - 2);
  const std::string mode = op.text("mode", "linear");
  if (mode == "nearest") return Work{4 * points, 0};
  if (mode == "cubic" || mode == "bicubic") return Work{32 * *elements + 32 * points, 0};
  return Work{2 * corners * *elements + 12 * points, 0};
}

// Each output element is the mean (or the largest) of sampling_ratio² bilinear samples of 8. A ratio of 0 depends on
// the boxes.
std::optional<Work> roi_align(const OpView& op, const CostRule&) {
  const auto elements = op.output_elements();
  const auto ratio = static_cast<double>(op.integer("sampling_ratio", 0));
  if (!elements || ratio < 1) return std::nullopt;
  return Work{*elements * ratio * ratio * 9, 0};
}

// At most: every score is compared with the threshold and sorted (log2 of the boxes), and every box that is kept is
// held against every box: 12 for the overlap of two (4 corners, 2 sides, 2 areas, sum, difference, quotient,
// comparison).
std::optional<Work> non_max_suppression(const OpView& op, const CostRule&) {
  const auto boxes = op.input_shape(0), kept = op.output_shape(0);
  const auto scores = op.input_elements(1);
  if (!boxes || boxes->size() != 3 || !scores || !kept || kept->empty()) return std::nullopt;
  const double count = std::max<double>(1, static_cast<double>((*boxes)[1]));
  return Work{*scores * (1 + std::log2(count)) + 12 * static_cast<double>((*kept)[0]) * count, 0};
}

namespace {

// 5·n·log2(n) per transform of length n, the usual count of a fast one; half of it where the input is real.
double fast_transform(double length, bool is_real) {
  return 5 * length * std::log2(std::max(2.0, length)) * (is_real ? 0.5 : 1);
}

}  // namespace

std::optional<Work> fourier(const OpView& op, const CostRule&) {
  const auto from = op.input_shape(0);
  const auto inputs = op.input_elements(0);
  if (!from || !inputs || from->size() < 2) return std::nullopt;
  std::int64_t along = op.integer("axis", op.first_integer(2).value_or(-2));
  if (along < 0) along += static_cast<std::int64_t>(from->size());
  if (along < 0 || along >= static_cast<std::int64_t>(from->size())) return std::nullopt;
  const auto given = static_cast<double>((*from)[static_cast<std::size_t>(along)]);
  const auto asked = op.first_integer(1);  // cut or filled up with zeros to a length of its own
  if (op.has_input(1) && !asked) return std::nullopt;
  const double length = asked ? static_cast<double>(*asked) : given;
  if (given < 1 || length < 1) return std::nullopt;
  const double transforms = *inputs / given / static_cast<double>(std::max<std::int64_t>(1, from->back()));
  return Work{transforms * fast_transform(length, from->back() == 1), 0};
}

// A transform per frame, as many as the output has; before it each value times the window's, if there is one.
std::optional<Work> short_time_fourier(const OpView& op, const CostRule&) {
  const auto from = op.input_shape(0), to = op.output_shape(0), window = op.input_shape(2);
  if (!from || !to || from->empty() || to->size() < 3) return std::nullopt;
  const bool has_window = op.has_input(2) && window && window->size() == 1;
  const auto given = op.first_integer(3);
  if (!given && !has_window) return std::nullopt;
  const double length = static_cast<double>(given ? *given : window->front());
  if (length < 1) return std::nullopt;
  const bool is_real = from->size() < 3 || from->back() == 1;
  const double frames = static_cast<double>((*to)[0]) * static_cast<double>((*to)[1]);
  const double windowing = has_window ? length * (is_real ? 1 : 2) : 0;
  return Work{frames * (windowing + fast_transform(length, is_real)), 0};
}

// With a reduction, one operation for each update.
std::optional<Work> scatter(const OpView& op, const CostRule&) {
  const std::string reduction = op.text("reduction", "none");
  if (reduction == "none") return Work{};
  const auto updates = op.input_elements(2);
  return updates ? std::optional(Work{*updates, 0}) : std::nullopt;
}

}  // namespace takt
