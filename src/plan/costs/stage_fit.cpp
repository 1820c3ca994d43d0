#include "plan/costs/stage_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/statistics/statistics.h"

namespace takt {
namespace {

constexpr double outside = 0.1;  // of the measured means, both sides together

Terms terms_at(const GraphSize& size, std::int64_t features) {
  return {1, double(size.nodes), double(size.edges), double(features)};
}

double ratio_of(const GraphSize& size) { return double(size.edges) / double(std::max<std::int64_t>(size.nodes, 1)); }

bool features_differ(std::span<const TimeAtSize> times) {
  return std::any_of(times.begin(), times.end(),
                     [&](const TimeAtSize& time) { return time.features != times.front().features; });
}

template <typename Value>
void widen(double& least, double& most, Value value) {
  least = std::min(least, double(value));
  most = std::max(most, double(value));
}

SizeSpan span_of(std::span<const TimeAtSize> times) {
  const TimeAtSize& first = times.front();
  SizeSpan span;
  span.least_nodes = span.most_nodes = double(first.size.nodes);
  span.least_edges = span.most_edges = double(first.size.edges);
  span.least_ratio = span.most_ratio = ratio_of(first.size);
  span.least_features = span.most_features = double(first.features);
  for (const TimeAtSize& time : times) {
    widen(span.least_nodes, span.most_nodes, time.size.nodes);
    widen(span.least_edges, span.most_edges, time.size.edges);
    widen(span.least_ratio, span.most_ratio, ratio_of(time.size));
    widen(span.least_features, span.most_features, time.features);
  }
  return span;
}

/// One is added so that no edges at all are a finite number of times less.
double factor_outside(double value, double least, double most) {
  if (value < least) return (least + 1) / (value + 1);
  return value > most ? (value + 1) / (most + 1) : 1;
}

/// With n rows left out in turn the largest error bounds the next one with probability n / (n + 1). Below nine rows
/// that is less than the 90 % asked for; the errors are stretched by what a normal variable would need in between.
double small_sample_stretch(std::size_t rows) {
  constexpr std::array<double, 5> stretches{1.645 / 1.282, 1.645 / 1.383, 1.645 / 1.465, 1.645 / 1.534, 1.645 / 1.593};
  if (rows < fewest_fitted_rows) return stretches.front();
  const std::size_t place = rows - fewest_fitted_rows;
  return place < stretches.size() ? stretches[place] : 1;
}

StageFit::LeftOut left_out_fit(std::vector<FitPoint> points, std::size_t row, std::size_t terms) {
  const FitPoint left = points[row];
  points.erase(points.begin() + static_cast<std::ptrdiff_t>(row));
  StageFit::LeftOut one{fit_relative(points, terms), 0};
  const double predicted = one.law.at(left.terms);
  one.spread = std::abs(left.value - predicted) / std::max(predicted, left.value / 100);
  return one;
}

/// The value with this rank, from 1; between two ranks a mean of their values. Whole ranks alone would hold more than
/// what is asked for where rows are few.
double ranked(std::vector<double> values, double rank) {
  std::sort(values.begin(), values.end());
  if (values.size() < 2) return values.front();
  const double place = std::clamp(rank - 1, 0.0, double(values.size() - 1));
  return percentile(values, place / double(values.size() - 1));
}

}  // namespace

double SizeSpan::factor_beyond(const GraphSize& size, std::int64_t features) const {
  return std::max({factor_outside(double(size.nodes), least_nodes, most_nodes),
                   factor_outside(double(size.edges), least_edges, most_edges),
                   factor_outside(ratio_of(size), least_ratio, most_ratio),
                   factor_outside(double(features), least_features, most_features)});
}

double StageFit::left_out_error() const {
  double sum = 0;
  for (const double error : left_out_errors) sum += std::abs(error);
  return sum / double(left_out_errors.size());
}

PredictedTime StageFit::at(const GraphSize& size, std::int64_t features) const {
  const Terms terms = terms_at(size, features);
  const double beyond = span.factor_beyond(size, features), rows = double(left_out.size());
  const double stretch = small_sample_stretch(left_out.size()) * (1 + std::log(beyond));
  std::vector<double> lows, highs;
  for (const LeftOut& one : left_out) {
    const double predicted = one.law.at(terms);
    lows.push_back(predicted * std::max(0.0, 1 - stretch * one.spread));
    highs.push_back(predicted * (1 + stretch * one.spread));
  }
  const double mean = law.at(terms);
  const double low = ranked(lows, outside * (rows + 1)), high = ranked(highs, (1 - outside) * (rows + 1));
  return {Duration(mean), Duration(std::min(low, mean)), Duration(std::max(high, mean)), beyond > 1};
}

StageFitResult fit_stage(std::span<const TimeAtSize> times) {
  if (times.size() < fewest_fitted_rows)
    return {std::nullopt,
            fmt::format("sizes measured: {}, but a cost model needs {}", times.size(), fewest_fitted_rows)};
  const std::size_t terms = features_differ(times) ? 4 : 3;
  std::vector<FitPoint> points;
  for (const TimeAtSize& time : times) points.push_back({terms_at(time.size, time.features), time.mean.count()});
  StageFit fit{.law = fit_relative(points, terms), .span = span_of(times), .left_out_errors = {}, .left_out = {}};
  for (std::size_t row = 0; row < points.size(); ++row) {
    fit.left_out.push_back(left_out_fit(points, row, terms));
    fit.left_out_errors.push_back(fit.left_out.back().law.at(points[row].terms) / points[row].value - 1);
  }
  return {std::move(fit), ""};
}

}  // namespace takt
