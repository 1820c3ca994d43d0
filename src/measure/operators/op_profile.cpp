#include "measure/operators/op_profile.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "base/basics/check.h"
#include "measure/operators/fusion.h"
#include "measure/operators/op_costs.h"
#include "measure/operators/plain_times.h"

namespace takt {
namespace {

OpRow row_of(const ExecutedNode& node, const RunResult& result) {
  OpRow row;
  row.name = row.node = node.name, row.type = node.type, row.kernel = node.kernel, row.node_type = node.node_type;
  row.provider = node.provider, row.computed_in = node.computed_in;
  row.model_ops = node.model_ops, row.leader = node.leader, row.is_settled = node.is_settled;
  row.inputs = node.inputs, row.outputs = node.outputs;
  row.input_shapes = node.input_shapes, row.output_shapes = node.output_shapes;
  row.runtime = result.runtime, row.device = result.device;
  row.samples.resize(result.profiled->ops.size());
  return row;
}

/// One row per (name, kernel). Names are compared once for a node and not for each of its executions.
class GatheredRows {
 public:
  explicit GatheredRows(const RunResult& result) : result_(result) {}

  void add(const OpSample& sample, std::size_t run) {
    OpRow& row = rows_[place_of(*sample.node)];
    ++row.calls;
    row.total += sample.self();
    row.samples[run] += sample.self();
  }

  std::vector<OpRow> take() { return std::move(rows_); }

 private:
  std::size_t place_of(const ExecutedNode& node) {
    const auto [known, is_unknown] = places_.try_emplace(&node);
    if (!is_unknown) return known->second;
    const auto [named, is_new] = named_.emplace(std::pair(node.name, node.kernel), rows_.size());
    if (is_new) rows_.push_back(row_of(node, result_));
    return known->second = named->second;
  }

  const RunResult& result_;
  std::vector<OpRow> rows_;
  std::map<std::pair<std::string, std::string>, std::size_t> named_;
  std::unordered_map<const ExecutedNode*, std::size_t> places_;  ///< the samples keep the nodes alive
};

std::vector<OpRow> gather_rows(const RunResult& result) {
  GatheredRows rows(result);
  for (std::size_t run = 0; run < result.profiled->ops.size(); ++run)
    for (const OpSample& sample : result.profiled->ops[run]) rows.add(sample, run);
  return rows.take();
}

double share_of_known(const std::vector<OpRow>& rows) {
  Nanoseconds known{}, total{};
  for (const OpRow& row : rows) {
    total += row.total;
    if (row.flops && row.bytes && (!row.output_shapes.empty() || row.outputs.empty())) known += row.total;
  }
  return total.count() == 0 ? 0 : static_cast<double>(known.count()) / static_cast<double>(total.count());
}

}  // namespace

std::size_t median_run(const std::vector<Nanoseconds>& samples) {
  std::vector<std::size_t> order(samples.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return samples[a] < samples[b]; });
  return order.at((order.size() - 1) / 2);
}

OpProfile profile_ops(const RunResult& result) {
  OpProfile profile;
  const RunPass& pass = result.profiled.value();
  profile.ops = gather_rows(result);
  settle_ownership(profile.ops);
  if (result.graph) {
    adopt_unclaimed(*result.graph, profile.ops);
    add_costs(*result.graph, static_cast<std::int64_t>(pass.samples.size()), profile.ops);
  }
  profile.runs = static_cast<std::int64_t>(pass.samples.size());
  profile.unattributed_samples = pass.samples;
  Nanoseconds attributed{};
  for (const OpRow& row : profile.ops) {
    TAKT_CHECK(row.samples.size() == pass.samples.size());
    attributed += row.total;
    for (std::size_t run = 0; run < row.samples.size(); ++run) profile.unattributed_samples[run] -= row.samples[run];
  }
  for (Nanoseconds sample : pass.samples) profile.measured += sample;
  for (Nanoseconds sample : profile.unattributed_samples) profile.unattributed += sample;
  TAKT_CHECK(attributed + profile.unattributed == profile.measured);
  profile.known_share = share_of_known(profile.ops);
  add_plain_times(result, profile);
  return profile;
}

}  // namespace takt
