#include "profile/op_profile.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/check.h"
#include "profile/fusion.h"
#include "profile/op_costs.h"
#include "profile/plain_times.h"

namespace takt {
namespace {

/// Adds the samples of every run to one row per (name, kernel).
std::vector<OpRow> gather_rows(const RunResult& result) {
  const RunPass& pass = *result.profiled;
  std::vector<OpRow> rows;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (std::size_t run = 0; run < pass.ops.size(); ++run) {
    for (const OpSample& sample : pass.ops[run]) {
      auto [place, is_new] = places.emplace(std::pair(sample.name, sample.kernel), rows.size());
      if (is_new) {
        OpRow row;
        row.name = row.node = sample.name, row.type = sample.type, row.kernel = sample.kernel,
        row.node_type = sample.node_type, row.provider = sample.provider;
        row.model_ops = sample.model_ops, row.leader = sample.leader, row.is_settled = sample.is_settled;
        row.inputs = sample.inputs, row.outputs = sample.outputs;
        row.input_shapes = sample.input_shapes, row.output_shapes = sample.output_shapes;
        row.runtime = result.runtime, row.device = result.device;
        row.samples.resize(pass.ops.size());
        rows.push_back(std::move(row));
      }
      OpRow& row = rows[place->second];
      ++row.calls;
      row.total += sample.self();
      row.samples[run] += sample.self();
    }
  }
  return rows;
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
