#include "plan/gnn/plain_layer.h"

#include <algorithm>
#include <cmath>

#include "plan/gnn/stage_model.h"

namespace takt {
namespace {

PlainTensor weight(const std::string& name, std::size_t rows, std::size_t columns, std::uint64_t seed) {
  PlainTensor tensor = plain_tensor(rows, columns);
  const auto values = stage_weight(name, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), seed);
  std::copy(values.begin(), values.end(), tensor.values.begin());
  return tensor;
}

PlainTensor product(const PlainTensor& a, const PlainTensor& b) {
  PlainTensor c = plain_tensor(a.rows, b.columns);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t k = 0; k < a.columns; ++k)
      for (std::size_t j = 0; j < b.columns; ++j) c.at(i, j) += a.at(i, k) * b.at(k, j);
  return c;
}

/// Row i is row places[i] of `table`.
PlainTensor rows_at(const PlainTensor& table, const std::vector<std::int64_t>& places) {
  PlainTensor rows = plain_tensor(places.size(), table.columns);
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t j = 0; j < table.columns; ++j) rows.at(i, j) = table.at(static_cast<std::size_t>(places[i]), j);
  return rows;
}

PlainTensor scaled(const PlainTensor& factors, PlainTensor rows) {
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.columns; ++j) rows.at(i, j) *= factors.at(i);
  return rows;
}

PlainTensor sums(const PlainTensor& messages, const EdgeList& edges) {
  PlainTensor result = plain_tensor(static_cast<std::size_t>(edges.nodes), messages.columns);
  for (std::size_t i = 0; i < messages.rows; ++i)
    for (std::size_t j = 0; j < messages.columns; ++j)
      result.at(static_cast<std::size_t>(edges.targets[i]), j) += messages.at(i, j);
  return result;
}

PlainTensor counts(const EdgeList& edges) {
  PlainTensor result = plain_tensor(static_cast<std::size_t>(edges.nodes));
  for (const auto target : edges.targets) result.at(static_cast<std::size_t>(target)) += 1;
  return result;
}

template <typename Function>
PlainTensor each(PlainTensor tensor, Function function) {
  for (double& value : tensor.values) value = function(value);
  return tensor;
}

PlainTensor with_bias(PlainTensor tensor, const PlainTensor& bias) {
  for (std::size_t i = 0; i < tensor.rows; ++i)
    for (std::size_t j = 0; j < tensor.columns; ++j) tensor.at(i, j) += bias.at(j);
  return tensor;
}

double relu(double value) { return std::max(value, 0.0); }

using Tensors = std::map<std::string, PlainTensor>;

void sage(Tensors& t, const EdgeList& edges, std::size_t hidden, std::uint64_t seed) {
  const PlainTensor& x = t["x"];
  t["x_j"] = t["messages"] = rows_at(x, edges.sources);
  t["sum_agg"] = sums(t["messages"], edges);
  t["count"] = counts(edges);
  t["mean_agg"] = scaled(each(t["count"], [](double n) { return n > 0 ? 1 / n : 0; }), t["sum_agg"]);
  PlainTensor out =
      with_bias(product(t["mean_agg"], weight("w_l", x.columns, hidden, seed)), weight("b", hidden, 1, seed));
  const PlainTensor own = product(x, weight("w_r", x.columns, hidden, seed));
  for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] += own.values[i];
  t["out"] = out;
  t["activated"] = each(out, relu);
}

void gcn(Tensors& t, const EdgeList& edges, std::size_t hidden, std::uint64_t seed) {
  const PlainTensor& x = t["x"];
  const PlainTensor degrees = counts(edges);
  t["norm"] = plain_tensor(edges.sources.size());
  for (std::size_t i = 0; i < edges.sources.size(); ++i) {
    const double both =
        degrees.at(static_cast<std::size_t>(edges.sources[i])) * degrees.at(static_cast<std::size_t>(edges.targets[i]));
    t["norm"].at(i) = both > 0 ? 1 / std::sqrt(both) : 0;
  }
  t["x_j"] = rows_at(x, edges.sources);
  t["messages"] = scaled(t["norm"], t["x_j"]);
  t["agg"] = sums(t["messages"], edges);
  t["out"] = with_bias(product(t["agg"], weight("w", x.columns, hidden, seed)), weight("b", hidden, 1, seed));
  t["activated"] = each(t["out"], relu);
}

void gat(Tensors& t, const EdgeList& edges, std::size_t hidden, std::uint64_t seed) {
  t["wx"] = product(t["x"], weight("w", t["x"].columns, hidden, seed));
  t["wx_i"] = rows_at(t["wx"], edges.targets);
  t["wx_j"] = rows_at(t["wx"], edges.sources);
  const PlainTensor of_target = product(t["wx_i"], weight("att_dst", hidden, 1, seed));
  const PlainTensor of_source = product(t["wx_j"], weight("att_src", hidden, 1, seed));
  t["scores"] = plain_tensor(edges.sources.size());
  for (std::size_t i = 0; i < edges.sources.size(); ++i) {
    const double sum = of_target.at(i) + of_source.at(i);
    t["scores"].at(i) = sum < 0 ? 0.2 * sum : sum;
  }
  const PlainTensor powers = each(t["scores"], [](double score) { return std::exp(score); });
  const PlainTensor totals = rows_at(sums(powers, edges), edges.targets);
  t["alpha"] = powers;
  for (std::size_t i = 0; i < powers.rows; ++i) t["alpha"].at(i) /= totals.at(i);
  t["messages"] = scaled(t["alpha"], t["wx_j"]);
  t["agg"] = sums(t["messages"], edges);
  t["activated"] = each(t["agg"], [](double value) { return value < 0 ? std::expm1(value) : value; });
}

}  // namespace

PlainTensor plain_tensor(std::size_t rows, std::size_t columns) {
  return {rows, columns, std::vector<double>(rows * columns)};
}

std::map<std::string, PlainTensor> plain_layer(Network network, const EdgeList& edges, const PlainTensor& x,
                                               std::size_t hidden, std::uint64_t seed) {
  Tensors tensors{{"x", x}};
  const auto layer = network == Network::sage ? sage : network == Network::gcn ? gcn : gat;
  layer(tensors, edges, hidden, seed);
  return tensors;
}

}  // namespace takt
