#include "measure/compare/machine_state.h"

#include <algorithm>
#include <cmath>

#include "base/statistics/significance.h"
#include "base/statistics/statistics.h"

namespace takt {
namespace {

/// The mean over `side`'s runs of what was taken off.
double take_off(std::vector<Difference>& ops, std::vector<RunLevel> Difference::*side,
                const std::vector<double>& usual) {
  const std::size_t runs = (ops.front().*side).size();
  double sum = 0;
  for (std::size_t run = 0; run < runs; ++run) {
    std::vector<double> distances;
    for (std::size_t op = 0; op < ops.size(); ++op) distances.push_back((ops[op].*side)[run].log_time - usual[op]);
    const double shared = *median(distances);
    for (Difference& op : ops) (op.*side)[run].log_time -= shared;
    sum += shared;
  }
  return sum / static_cast<double>(runs);
}

}  // namespace

double shared_change(const std::vector<Difference>& ops) {
  std::vector<double> values;
  for (const Difference& op : ops) values.push_back(op.value);
  return ops.size() < enough_ops ? 0 : *median(values);
}

double take_off_shared(std::vector<Difference>& ops) {
  if (ops.size() < enough_ops) return 0;
  std::vector<double> usual;
  for (const Difference& op : ops) usual.push_back((mean_level(op.before) + mean_level(op.after)) / 2);
  const double before = take_off(ops, &Difference::before, usual), after = take_off(ops, &Difference::after, usual);
  for (Difference& op : ops) op.value -= after - before, op.sampling = 0;
  return after - before;
}

void use_scatter(std::vector<Difference>& ops) {
  if (ops.size() < enough_ops) return;
  const double shared = shared_change(ops);
  std::vector<double> scatter, freedoms;
  for (const Difference& op : ops)
    if (op.variance > 0)
      scatter.push_back(std::abs(op.value - shared) / std::sqrt(op.variance)), freedoms.push_back(op.freedom);
  if (scatter.empty()) return;
  std::sort(scatter.begin(), scatter.end());
  // Up to the tail, which leaves out what two operators do: those may be what changed.
  const double tail = std::min(0.9, 1 - 2 / static_cast<double>(scatter.size()));
  const double freedom = *median(freedoms);
  double scale = 1;
  for (const double share : {0.5, 0.75, tail})
    scale = std::max(scale, percentile(scatter, share) / student_quantile(freedom, (1 - share) / 2));
  for (Difference& op : ops) op.variance *= scale * scale;
}

}  // namespace takt
