#include "pipeline/whatif/random_what_ifs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics/random.h"
#include "flow/arrivals.h"

namespace takt {
namespace {

using Really = std::function<void(TruePipeline&)>;

constexpr double strongest = 1.8;
constexpr std::int64_t batches = 150;
constexpr const char* names[] = {"gather", "infer", "post", "write", "send"};  // as chain() calls its stages

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  int whole(int least, int most) {
    return least + static_cast<int>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }
  double real(double least, double most) { return least + uniform(random_) * (most - least); }
  bool chance(int percent) { return whole(1, 100) <= percent; }

 private:
  Random random_;
};

/// The time between batches that the slowest stage allows, nothing else beside it.
double beat_us(const TruePipeline& truth) {
  double beat = 0;
  for (std::size_t s = 0; s < truth.stages.size(); ++s)
    beat = std::max(beat, truth.stages[s].whole_us[0] / static_cast<double>(truth.shape.stages[s].replicas.size()));
  return beat;
}

TruePipeline random_truth(Draw& draw, std::uint64_t seed) {
  std::vector<double> times;
  for (int s = draw.whole(2, 5); s > 0; --s) times.push_back(1000 * std::exp(draw.real(0, 1.8)));
  TruePipeline truth = chain(times, 2, batches);
  truth.law_in_record = false;
  truth.seed = seed;
  truth.sigma = std::vector{0.0, 0.02, 0.1, 0.2}[static_cast<std::size_t>(draw.whole(0, 3))];
  for (std::size_t s = 0; s < times.size(); ++s) {
    const int device = static_cast<int>(s) - (s > 0 && draw.chance(20) ? 1 : 0);
    const int replicas = draw.chance(70) ? 1 : draw.whole(2, 3);
    truth.shape.stages[s] = stage_on(device, replicas, draw.whole(1, 4));
    auto& row = truth.contention.interference.emplace_back();
    for (std::size_t j = 0; j < times.size(); ++j) row.push_back(draw.real(1, strongest));
  }
  if (draw.chance(30)) truth.shape.source.in_flight = draw.whole(1, 6);
  if (draw.chance(35)) {
    const auto gap = Nanoseconds(std::llround(beat_us(truth) * draw.real(1.2, 3) * 1e3));
    truth.shape.source.open = true;
    truth.arrivals = draw.chance(50) ? poisson_arrivals(gap, batches, seed) : fixed_rate_arrivals(gap, batches);
  }
  return truth;
}

/// As --set source.rate does it: the pattern of the arrivals stays.
void set_rate(TruePipeline& truth, double per_second) {
  if (!truth.shape.source.open) {
    truth.shape.source.open = true;
    truth.arrivals = fixed_rate_arrivals(Nanoseconds(std::llround(1e9 / per_second)), batches);
    return;
  }
  const auto first = truth.arrivals.front();
  const double factor = 1e9 / per_second * static_cast<double>(batches - 1) /
                        static_cast<double>((truth.arrivals.back() - first).count());
  for (auto& time : truth.arrivals)
    time = first + Nanoseconds(std::llround(static_cast<double>((time - first).count()) * factor));
}

std::pair<std::string, Really> random_change(Draw& draw, const TruePipeline& truth) {
  const auto s = static_cast<std::size_t>(draw.whole(0, static_cast<int>(truth.stages.size()) - 1));
  switch (draw.whole(0, 5)) {
    case 0:
    case 1: {
      const double factor = std::round(draw.real(0.3, 2) * 100) / 100;
      return {fmt::format("stage.{}.time=x{}", names[s], factor),
              [=](TruePipeline& t) { t.stages[s].whole_us[0] *= factor; }};
    }
    case 2: {
      const int replicas = draw.whole(1, 3);
      return {fmt::format("stage.{}.replicas={}", names[s], replicas), [=](TruePipeline& t) {
                FlowStage& stage = t.shape.stages[s];
                stage = stage_on(stage.replicas[0][0], replicas, stage.queue);
              }};
    }
    case 3: {
      const int queue = draw.whole(1, 8);
      return {fmt::format("stage.{}.queue={}", names[s], queue),
              [=](TruePipeline& t) { t.shape.stages[s].queue = queue; }};
    }
    case 4: {
      const int in_flight = draw.whole(1, 6);
      return {fmt::format("source.in_flight={}", in_flight),
              [=](TruePipeline& t) { t.shape.source.in_flight = in_flight; }};
    }
    default: {
      const double rate = std::round(1e6 / beat_us(truth) * draw.real(0.3, 0.95));
      return {fmt::format("source.rate={}", rate), [=](TruePipeline& t) { set_rate(t, rate); }};
    }
  }
}

}  // namespace

WhatIfCase random_what_if(std::uint64_t seed) {
  Draw draw(seed * 7919 + 17);
  WhatIfCase one;
  one.kind = "random";
  one.truth = random_truth(draw, seed);
  std::vector<Really> all;
  for (int n = draw.chance(70) ? 1 : 2; n > 0; --n) {
    auto [text, really] = random_change(draw, one.truth);
    one.changes.push_back(text);
    all.push_back(really);
  }
  one.name = fmt::format("{}", fmt::join(one.changes, ", "));
  one.really = [all](TruePipeline& truth) {
    for (const Really& really : all) really(truth);
  };
  return one;
}

}  // namespace takt
