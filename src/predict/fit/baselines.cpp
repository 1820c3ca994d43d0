#include "predict/fit/baselines.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/statistics/statistics.h"
#include "predict/fit/tree_training.h"

namespace takt {
namespace {

/// FLOPs, or bytes of kernels that have none.
double work_of(const KernelFacts& facts) {
  const double flops = facts[Feature::flops];
  return flops > 0 ? flops : facts[Feature::input_bytes] + facts[Feature::output_bytes];
}

constexpr Feature raw_dimensions[] = {
    Feature::batch,      Feature::channels_in, Feature::height_in,     Feature::width_in,    Feature::channels_out,
    Feature::height_out, Feature::width_out,   Feature::window_height, Feature::stride,      Feature::groups,
    Feature::rows,       Feature::inner,       Feature::columns,       Feature::input_bytes, Feature::output_bytes};

}  // namespace

// Minimises Σ ((a + b·x − y) / y)² over a, b ≥ 0: with u = 1/y and v = x/y, the least squares of a·u + b·v = 1.
FlopsLaw::Line FlopsLaw::fit(const std::vector<const KernelSample*>& samples) {
  double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0;
  for (const KernelSample* sample : samples) {
    const double u = 1 / sample->us, v = work_of(*sample->facts) / sample->us;
    uu += u * u, uv += u * v, vv += v * v, u1 += u, v1 += v;
  }
  const double determinant = uu * vv - uv * uv;
  Line line;
  if (determinant > 1e-9 * uu * vv)
    line = {(u1 * vv - v1 * uv) / determinant, (v1 * uu - u1 * uv) / determinant};
  else
    line = {u1 / uu, 0};
  if (line.us_per_unit < 0 || vv == 0) line = {u1 / uu, 0};
  if (line.fixed_us < 0) line = {0, v1 / vv};
  return line;
}

FlopsLaw::FlopsLaw(std::span<const KernelSample> samples) {
  std::map<std::string, std::vector<const KernelSample*>> kinds;
  std::vector<const KernelSample*> all;
  for (const KernelSample& sample : samples) kinds[sample.facts->op_type].push_back(&sample), all.push_back(&sample);
  for (const auto& [kind, members] : kinds) lines_[kind] = fit(members);
  all_ = fit(all);
}

double FlopsLaw::predict_us(const KernelFacts& facts) const {
  const auto found = lines_.find(facts.op_type);
  const Line& line = found == lines_.end() ? all_ : found->second;
  return line.fixed_us + line.us_per_unit * work_of(facts);
}

ScaledRoofline::ScaledRoofline(std::span<const KernelSample> samples, const MachineConstants& machine)
    : machine_(machine), fixed_us_(least_time_us({samples.begin(), samples.end()})) {
  std::vector<double> ratios;
  for (const KernelSample& sample : samples)
    ratios.push_back(sample.us / roofline_us(*sample.facts, machine_, fixed_us_));
  scale_ = median(std::span<const double>(ratios)).value_or(1);
}

double ScaledRoofline::predict_us(const KernelFacts& facts) const {
  return scale_ * roofline_us(facts, machine_, fixed_us_);
}

RawForest::RawForest(std::span<const KernelSample> samples, int trees, std::uint64_t seed)
    : least_us_(least_time_us({samples.begin(), samples.end()})) {
  std::set<std::string> kinds;
  for (const KernelSample& sample : samples) kinds.insert(sample.facts->op_type);
  kinds_.assign(kinds.begin(), kinds.end());
  FeatureMatrix matrix;
  std::vector<float> targets;
  for (const KernelSample& sample : samples) {
    const auto values = row(*sample.facts);
    matrix.columns = values.size();
    matrix.values.insert(matrix.values.end(), values.begin(), values.end());
    targets.push_back(static_cast<float>(sample.us / 1000));
  }
  const std::string json = train_trees(matrix, targets, {}, {.kind = TreeKind::forest, .trees = trees, .seed = seed});
  forest_ = parse_trees(json, "trees of the reference recipe", matrix.columns);
}

std::vector<float> RawForest::row(const KernelFacts& facts) const {
  std::vector<float> row;
  for (const Feature feature : raw_dimensions) row.push_back(static_cast<float>(facts[feature]));
  for (const std::string& kind : kinds_) row.push_back(kind == facts.op_type ? 1.0f : 0.0f);
  return row;
}

double RawForest::predict_us(const KernelFacts& facts) const {
  return std::max(least_us_, forest_.predict(row(facts)) * 1000);
}

}  // namespace takt
