#include "predict/fit/dataset_parts.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/basics/index.h"
#include "base/statistics/random.h"
#include "predict/zoo/zoo.h"

namespace takt {
namespace {

constexpr std::array<std::string_view, 4> split_names{"kernel", "model", "family", "zoo"};

/// Text of what stays together in a split.
std::string unit_of(const CollectedModel& model, const CollectedKernel& kernel, Split split) {
  switch (split) {
    case Split::kernel:
      return kernel.facts.id;
    case Split::model:
      return model.architecture;
    case Split::family:
      return model.family;
    case Split::zoo:
      break;
  }
  return {};
}

bool is_random_chain(const CollectedModel& model) { return model.family == random_chains_family; }

}  // namespace

std::string_view name_of(Split split) { return split_names[static_cast<std::size_t>(split)]; }

Parts parts_of(const Dataset& dataset, Split split, int folds, std::uint64_t seed) {
  std::set<std::string> units;
  bool has_random_chains = false;
  for (const CollectedModel& model : dataset.models) {
    has_random_chains = has_random_chains || is_random_chain(model);
    if (is_random_chain(model)) continue;
    for (const CollectedKernel& kernel : model.kernels) units.insert(unit_of(model, kernel, split));
  }
  std::vector<std::string> order(units.begin(), units.end());
  Random random(seed);
  shuffle(order, random);
  Parts parts;
  parts.count =
      split == Split::family ? static_cast<int>(order.size()) : std::min(folds, static_cast<int>(order.size()));
  std::map<std::string, int> part_of;
  for (std::size_t i = 0; i < order.size(); ++i) part_of[order[i]] = static_cast<int>(i % index(parts.count));
  for (const CollectedModel& model : dataset.models) {
    parts.is_predicted.push_back(!is_random_chain(model));
    auto& of_model = parts.of.emplace_back();
    for (const CollectedKernel& kernel : model.kernels) {
      // A kernel of a random chain that is predicted elsewhere would give the answer away.
      const auto found = is_random_chain(model) && split != Split::kernel ? part_of.end()
                                                                          : part_of.find(unit_of(model, kernel, split));
      of_model.push_back(found == part_of.end() ? Parts::always_trained_on : found->second);
    }
  }
  if (split == Split::zoo && !has_random_chains) parts.count = 0;
  return parts;
}

Dataset without_part(const Dataset& dataset, const Parts& parts, int part) {
  Dataset rest;
  for (std::size_t m = 0; m < dataset.models.size(); ++m) {
    CollectedModel model = dataset.models[m];
    model.kernels.clear();
    for (std::size_t k = 0; k < dataset.models[m].kernels.size(); ++k)
      if (parts.of[m][k] != part) model.kernels.push_back(dataset.models[m].kernels[k]);
    if (!model.kernels.empty()) rest.models.push_back(std::move(model));
  }
  return rest;
}

}  // namespace takt
