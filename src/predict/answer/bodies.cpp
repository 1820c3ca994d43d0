#include "predict/answer/bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/basics/text.h"
#include "base/basics/units.h"

namespace takt {
namespace {

struct BodyTime {
  double us = 0, low_us = 0, high_us = 0;

  void add(const BodyTime& other) { us += other.us, low_us += other.low_us, high_us += other.high_us; }
};

/// One turn: its kernels, without what a call of the runtime costs.
BodyTime time_of_turn(const Predictor& predictor, const BodyFacts& body) {
  ModelPrediction turn = predict(predictor, body.facts.kernels);
  add_bodies(predictor, body.facts, turn);
  BodyTime time;
  for (const KernelPrediction& kernel : turn.kernels) time.add({kernel.us, kernel.low_us, kernel.high_us});
  return time;
}

BodyTime time_of(const Predictor& predictor, const BodyFacts& body) {
  const BodyTime turn = time_of_turn(predictor, body);
  const double most_call_us = std::max(0.0, predictor.overhead.fixed_us);
  if (!body.turns) return {turn.us, 0, std::numeric_limits<double>::infinity()};
  return {*body.turns * turn.us, *body.turns * turn.low_us, *body.turns * (turn.high_us + most_call_us)};
}

}  // namespace

void add_bodies(const Predictor& predictor, const ModelFacts& facts, ModelPrediction& prediction) {
  std::map<std::size_t, BodyTime> owners;
  for (const BodyFacts& body : facts.bodies) {
    const BodyTime time = time_of(predictor, body);
    const auto [place, is_first] = owners.emplace(body.owner, time);
    BodyTime& all = place->second;  // branches of If: one of them runs
    if (!is_first)
      all = {std::max(all.us, time.us), std::min(all.low_us, time.low_us), std::max(all.high_us, time.high_us)};
  }
  for (const auto& [owner, time] : owners) {
    KernelPrediction& kernel = prediction.kernels[owner];
    kernel.us += time.us, kernel.low_us += time.low_us, kernel.high_us += time.high_us;
    prediction.us += time.us, prediction.low_us += time.low_us, prediction.high_us += time.high_us;
  }
}

std::vector<BodyNote> notes_on_bodies(const Predictor& predictor, const ModelFacts& facts) {
  std::vector<BodyNote> notes;
  for (const BodyFacts& body : facts.bodies) {
    const std::string& type = facts.kernels[body.owner].op_type;
    const std::string what = fmt::format("{} '{}'", type, printable(facts.names[body.owner]));
    const std::string turn = format_duration(Duration(time_of_turn(predictor, body).us));
    if (type == "If") {
      notes.push_back({fmt::format("{}: '{}' takes {}; the longer branch counts", what, body.name, turn)});
    } else if (body.turns) {
      notes.push_back({fmt::format("{}: at most {:.0f} turns of {}", what, *body.turns, turn)});
    } else {
      notes.push_back(
          {fmt::format("{} runs an unknown number of turns, each about {}: one is counted, so the prediction "
                       "is a lower bound; if the count is an input of the model, give it with --input",
                       what, turn),
           true});
    }
    const auto inner = notes_on_bodies(predictor, body.facts);
    notes.insert(notes.end(), inner.begin(), inner.end());
  }
  return notes;
}

}  // namespace takt
