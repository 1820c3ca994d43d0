#include "predict/collect/steps.h"

#include <algorithm>
#include <span>

#include "base/basics/error.h"
#include "base/statistics/random.h"
#include "base/statistics/statistics.h"
#include "model/onnx/metadata.h"
#include "model/onnx/onnx.h"
#include "predict/zoo/zoo.h"

namespace takt {
namespace {

/// Its chains are for learning kernels; nobody wants to know their time beside a load.
bool is_random_chain(const std::filesystem::path& model) {
  try {
    const auto metadata = metadata_of(read_onnx_structure(model));
    const auto family = metadata.find("takt.family");
    return family != metadata.end() && family->second == random_chains_family;
  } catch (const Error&) {
    return false;  // its measurement says what is wrong
  }
}

}  // namespace

std::vector<CollectStep> steps_of(const CollectSettings& settings) {
  std::vector<CollectStep> steps;
  for (int round = 1; round <= settings.rounds; ++round) {
    std::vector<CollectStep> one;
    for (std::size_t i = 0; i < settings.models.size(); ++i) {
      if (!settings.shard.has(i)) continue;
      one.push_back({settings.models[i], round, {}});
      if (round > 1 || !settings.stress || is_random_chain(settings.models[i])) continue;
      for (AskedLoad& load : settings.stress->loads_of(i, settings.seed))
        one.push_back({settings.models[i], round, std::move(load)});
    }
    Random random(settings.seed * 1000 + static_cast<std::uint64_t>(round));
    shuffle(one, random);
    steps.insert(steps.end(), one.begin(), one.end());
  }
  return steps;
}

DoneSteps::DoneSteps(const std::vector<CollectRecord>& records, int retries) : retries_(retries) {
  for (const CollectRecord& record : records) note(record);
}

void DoneSteps::note(const CollectRecord& record) {
  auto& state = states_[{record.model, record.round, record.load.asked}];
  if (record.status == CollectStatus::disturbed)
    ++state.disturbed;
  else
    state.is_done = true;
  if (record.canary && record.load.asked.is_quiet()) canaries_.push_back(record.canary->us());
}

std::optional<double> DoneSteps::usual_canary() const { return median(std::span<const double>(canaries_)); }

bool DoneSteps::has(const CollectStep& step) const {
  const auto found = states_.find({step.model.filename().string(), step.round, step.load});
  return found != states_.end() && (found->second.is_done || found->second.disturbed > retries_);
}

}  // namespace takt
