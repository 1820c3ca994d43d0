#include "pipeline/whatif/what_if_cases.h"

#include <cmath>

#include "flow/arrivals.h"
#include "flow/device_law.h"
#include "pipeline/whatif/known_contention.h"
#include "pipeline/whatif/replay.h"

namespace takt {
namespace {

constexpr const char* stage_names[] = {"gather", "infer", "post", "write", "send"};
constexpr const char* device_names[] = {"a", "b", "c", "d", "e"};

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

Nanoseconds from_us(double us) { return Nanoseconds(std::llround(us * 1e3)); }

class TrueTimes final : public ServiceTimes {
 public:
  explicit TrueTimes(const TruePipeline& truth) : truth_(truth) {}
  Nanoseconds service(const Execution& what) override {
    const TrueStage& stage = truth_.stages[at(what.stage)];
    if (what.phase == FlowPhase::partition) return from_us(stage.partition_us);
    if (what.phase == FlowPhase::merge) return from_us(stage.merge_us);
    const std::size_t p = at(what.part);
    // A stage with one time for all parts and replicas gives it once.
    double us = stage.fixed_us[p] + stage.ratio[p] * stage.whole_us[p];
    if (truth_.delayed_every > 0 && (what.batch + what.stage) % truth_.delayed_every == 0) us *= 3;
    if (truth_.sigma == 0) return from_us(us);
    std::uint64_t key = truth_.seed;
    for (const std::int64_t id : {what.batch, std::int64_t{what.stage}, std::int64_t{what.part}})
      key = Random(key ^ static_cast<std::uint64_t>(id))();
    return NoiseSource({NoiseShape::lognormal, truth_.sigma}, key).apply(from_us(us));
  }

 private:
  const TruePipeline& truth_;
};

WhatIfCase plain(std::string name, TruePipeline truth, std::vector<std::string> changes,
                 std::function<void(TruePipeline&)> really) {
  return {std::move(name), "plain", std::move(truth), std::move(changes), std::move(really)};
}

TruePipeline split_chain(std::vector<double> ratio, std::vector<double> fixed = {0, 0}) {
  TruePipeline truth = chain({900, 0, 700});
  truth.shape.devices.emplace_back();
  truth.shape.stages[1] = stage_over({1, 3}, 1, 2);
  truth.stages[1] = {{3000, 4500}, std::move(fixed), std::move(ratio), 40, 60};
  return truth;
}

TruePipeline noisy(TruePipeline truth, double sigma) {
  truth.sigma = sigma;
  return truth;
}

TruePipeline contended(TruePipeline truth, bool law_in_record = true) {
  truth.contention.interference = {{1, 1.3, 1}, {1.5, 1, 1.2}, {1, 1.4, 1}};
  truth.law_in_record = law_in_record;
  return truth;
}

/// As contended(), unknown to the record; and a second replica of infer would slow the first one down.
TruePipeline crowded(TruePipeline truth) {
  truth = contended(std::move(truth), false);
  truth.contention.interference[1][1] = 1.4;
  return truth;
}

/// Batches come by themselves: stages run beside each other now and then, so overlaps tell something.
TruePipeline poisson(TruePipeline truth, double gap_us) {
  truth.shape.source.open = true;
  truth.arrivals = poisson_arrivals(from_us(gap_us), *truth.shape.source.batches, 7);
  return truth;
}

void add_plain(std::vector<WhatIfCase>& cases) {
  const TruePipeline base = chain({1000, 2500, 1500});
  const auto set = [](int stage, double us) { return [=](TruePipeline& t) { t.stages[at(stage)].whole_us = {us}; }; };
  cases.push_back(plain("bottleneck twice as fast", base, {"stage.infer.time=x0.5"}, set(1, 1250)));
  cases.push_back(plain("bottleneck 30 % faster", base, {"stage.infer.time=x0.7"}, set(1, 1750)));
  cases.push_back(plain("other stage slower", base, {"stage.post.time=x2"}, set(2, 3000)));
  cases.push_back(plain("stage takes 4 ms", base, {"stage.gather.time=4ms"}, set(0, 4000)));
  cases.push_back(plain("two replicas", base, {"stage.infer.replicas=2"},
                        [](TruePipeline& t) { t.shape.stages[1] = stage_on(1, 2, 2); }));
  cases.push_back(plain("three replicas", base, {"stage.infer.replicas=3"},
                        [](TruePipeline& t) { t.shape.stages[1] = stage_on(1, 3, 2); }));
  cases.push_back(plain("two replicas and faster", base, {"stage.infer.replicas=2", "stage.post.time=x0.5"},
                        [](TruePipeline& t) { t.shape.stages[1] = stage_on(1, 2, 2), t.stages[2].whole_us = {750}; }));
  TruePipeline shared = chain({1000, 2000, 1500});
  shared.shape.devices[0].requests = 1;
  shared.shape.stages[2] = stage_on(0, 1, 2);
  cases.push_back(plain("two requests on a shared device", shared, {"device.a.requests=2"},
                        [](TruePipeline& t) { t.shape.devices[0].requests = 2; }));
  cases.push_back(plain("stage moves to a device of its own", shared, {"stage.post.device=c", "stage.post.time=x0.8"},
                        [](TruePipeline& t) { t.shape.stages[2] = stage_on(2, 1, 2), t.stages[2].whole_us = {1200}; }));
  cases.push_back(
      plain("fewer in flight", base, {"source.in_flight=1"}, [](TruePipeline& t) { t.shape.source.in_flight = 1; }));
  cases.push_back(plain("batches at a fixed rate", base, {"source.rate=300"}, [](TruePipeline& t) {
    t.shape.source.open = true;
    t.arrivals = fixed_rate_arrivals(Nanoseconds(3'333'333), *t.shape.source.batches);
  }));
}

void add_split(std::vector<WhatIfCase>& cases) {
  const auto ratio = [](std::vector<double> shares) { return [=](TruePipeline& t) { t.stages[1].ratio = shares; }; };
  cases.push_back(
      plain("split 0.5,0.5 to 0.6,0.4", split_chain({0.5, 0.5}), {"stage.infer.ratio=0.6,0.4"}, ratio({0.6, 0.4})));
  cases.push_back(
      plain("split 0.5,0.5 to 0.8,0.2", split_chain({0.5, 0.5}), {"stage.infer.ratio=0.8,0.2"}, ratio({0.8, 0.2})));
  TruePipeline same = split_chain({0.8, 0.2}, {300, 300});
  same.shape.stages[1] = stage_over({1, 1}, 1, 2);
  same.stages[1].whole_us = {3000, 3000};
  cases.push_back(plain("split on one device, fixed costs", same, {"stage.infer.ratio=0.5,0.5"}, ratio({0.5, 0.5})));
  cases.push_back(
      plain("split, two replicas", split_chain({0.6, 0.4}), {"stage.infer.replicas=2"}, [](TruePipeline& t) {
        t.shape.stages[1] = stage_over({1, 3}, 2, 2);
      }));
}

void add_contention(std::vector<WhatIfCase>& cases) {
  const auto add = [&](std::string name, TruePipeline truth, std::vector<std::string> changes,
                       std::function<void(TruePipeline&)> really) {
    cases.push_back({std::move(name), "contention", std::move(truth), std::move(changes), std::move(really)});
  };
  const auto faster = [](TruePipeline& t) { t.stages[1].whole_us[0] *= 0.5; };
  const auto replicas = [](TruePipeline& t) { t.shape.stages[1] = stage_on(1, 2, 2); };
  const TruePipeline base = chain({1000, 2500, 1500});
  add("law known, faster", contended(base), {"stage.infer.time=x0.5"}, faster);
  add("law known, two replicas", contended(base), {"stage.infer.replicas=2"}, replicas);
  TruePipeline curve = chain({1000, 2500, 1500});
  curve.shape.stages[2] = stage_on(1, 1, 2);
  curve.contention.device_curve = {{}, {1, 1.7}};
  add("two stages share a device", curve, {"stage.infer.time=x0.5"}, faster);
  cases.push_back({"law measured, lock-step, two replicas",
                   "contention",
                   crowded(base),
                   {"stage.infer.replicas=2"},
                   replicas,
                   true});
  cases.push_back({"law measured, lock-step, faster",
                   "contention",
                   contended(noisy(base, 0.1), false),
                   {"stage.infer.time=x0.5"},
                   faster,
                   true});
  add("law from overlaps, faster", contended(noisy(base, 0.1), false), {"stage.infer.time=x0.5"}, faster);
  add("law from overlaps, rare batches", contended(poisson(base, 5000), false), {"stage.infer.time=x0.5"}, faster);
  add("law from overlaps, higher rate", contended(noisy(poisson(chain({1000, 2500, 1500}, 2, 400), 6000), 0.05), false),
      {"source.rate=280"}, [](TruePipeline& t) {
        const double factor = 1e9 / 280 * static_cast<double>(t.arrivals.size() - 1) /
                              static_cast<double>((t.arrivals.back() - t.arrivals.front()).count());
        const auto first = t.arrivals.front();
        for (auto& time : t.arrivals)
          time = first + Nanoseconds(std::llround(static_cast<double>((time - first).count()) * factor));
      });
  add("law from overlaps, two replicas", contended(noisy(poisson(chain({1000, 2500, 1500}, 2, 400), 4500), 0.1), false),
      {"stage.infer.replicas=2"}, replicas);
}

void add_noise(std::vector<WhatIfCase>& cases) {
  const auto add = [&](std::string name, TruePipeline truth, std::vector<std::string> changes,
                       std::function<void(TruePipeline&)> really) {
    cases.push_back({std::move(name), "noise", std::move(truth), std::move(changes), std::move(really)});
  };
  const TruePipeline base = noisy(chain({1000, 2500, 1500}), 0.2);
  add("20 % noise, twice as fast", base, {"stage.infer.time=x0.5"},
      [](TruePipeline& t) { t.stages[1].whole_us = {1250}; });
  add("20 % noise, two replicas", base, {"stage.infer.replicas=2"},
      [](TruePipeline& t) { t.shape.stages[1] = stage_on(1, 2, 2); });
  add("20 % noise, slower stage", base, {"stage.gather.time=x3"},
      [](TruePipeline& t) { t.stages[0].whole_us = {3000}; });
  add("20 % noise, deeper queues", noisy(chain({2000, 2000, 2000}, 1), 0.2),
      {"stage.infer.queue=8", "stage.post.queue=8"},
      [](TruePipeline& t) { t.shape.stages[1].queue = t.shape.stages[2].queue = 8; });
  add("20 % noise, other split", noisy(split_chain({0.5, 0.5}), 0.2), {"stage.infer.ratio=0.6,0.4"},
      [](TruePipeline& t) {
        t.stages[1].ratio = {0.6, 0.4};
      });
}

void add_blocking(std::vector<WhatIfCase>& cases) {
  const auto add = [&](std::string name, TruePipeline truth, std::vector<std::string> changes,
                       std::function<void(TruePipeline&)> really) {
    cases.push_back({std::move(name), "blocking", std::move(truth), std::move(changes), std::move(really)});
  };
  const TruePipeline base = noisy(chain({1800, 2000, 2200, 1900}, 1, 400), 0.4);
  add("deeper queue before post", base, {"stage.post.queue=6"}, [](TruePipeline& t) { t.shape.stages[2].queue = 6; });
  add("deeper queues everywhere", base, {"stage.infer.queue=8", "stage.post.queue=8", "stage.write.queue=8"},
      [](TruePipeline& t) {
        for (std::size_t s = 1; s < 4; ++s) t.shape.stages[s].queue = 8;
      });
  add("the blocking stage faster", base, {"stage.post.time=x0.6"},
      [](TruePipeline& t) { t.stages[2].whole_us = {1320}; });
  add("the blocking stage twice", base, {"stage.post.replicas=2"},
      [](TruePipeline& t) { t.shape.stages[2] = stage_on(2, 2, 1); });
  TruePipeline deep = base;
  for (auto& stage : deep.shape.stages) stage.queue = 8;
  add("shallow queues", deep, {"stage.infer.queue=1", "stage.post.queue=1", "stage.write.queue=1"},
      [](TruePipeline& t) {
        for (std::size_t s = 1; s < 4; ++s) t.shape.stages[s].queue = 1;
      });
}

}  // namespace

TruePipeline chain(std::vector<double> times_us, int queue, std::int64_t batches) {
  TruePipeline truth;
  truth.shape.source.batches = batches;
  for (std::size_t s = 0; s < times_us.size(); ++s) {
    truth.shape.devices.emplace_back();
    truth.shape.stages.push_back(stage_on(static_cast<int>(s), 1, queue));
    truth.stages.push_back({{times_us[s]}, {0}, {1}, 0, 0});
  }
  return truth;
}

PipelineRun run_truth(const TruePipeline& truth) {
  PipelineRun run;
  run.name = "truth";
  run.shape = truth.shape;
  run.virtual_clock = true;
  for (std::size_t d = 0; d < truth.shape.devices.size(); ++d)
    run.devices.push_back({device_names[d], truth.law_in_record ? "sim" : "openvino"});
  for (std::size_t s = 0; s < truth.stages.size(); ++s) {
    run.stages.push_back({stage_names[s], "law", false, {}, {}});
    if (truth.shape.stages[s].split()) run.stages.back().ratio = truth.stages[s].ratio;
  }
  TrueTimes times(truth);
  run.schedule = simulate(truth.shape, times, {truth.arrivals, truth.contention, true});
  if (truth.law_in_record) run.contention = truth.contention;
  return run;
}

std::vector<PairRow> measure_truth(const TruePipeline& truth) {
  std::vector<std::string> names;
  for (std::size_t s = 0; s < truth.stages.size(); ++s) names.emplace_back(stage_names[s]);
  std::uint64_t calls = 0;
  const auto run = [&](const std::vector<int>& stages) {
    TruePipeline cut = truth;
    cut.arrivals.clear();
    cut.shape.source.open = false;
    cut.shape.stages.clear(), cut.stages.clear(), cut.contention.interference.clear();
    cut.seed = truth.seed + 10'000 + ++calls;
    for (const int i : stages) {
      FlowStage stage = truth.shape.stages[at(i)];
      stage.replicas.resize(1);
      cut.shape.stages.push_back(stage);
      cut.stages.push_back(truth.stages[at(i)]);
      auto& row = cut.contention.interference.emplace_back();
      for (const int j : stages) row.push_back(truth.contention.interference[at(i)][at(j)]);
    }
    return run_truth(cut);
  };
  return measure_interference(names, run).pairs;
}

PipelineRun WhatIfCase::predict(const PipelineRun& recorded) const {
  std::vector<PipelineChange> parsed;
  for (const auto& text : changes) parsed.push_back(parse_change(text));
  if (!measures) return replay(recorded, parsed);
  return replay(recorded, parsed, known_contention(recorded, measure_truth(truth)).law);
}

PipelineRun WhatIfCase::run_changed() const {
  TruePipeline changed = truth;
  really(changed);
  changed.seed += 1000;
  return run_truth(changed);
}

std::vector<WhatIfCase> what_if_cases() {
  std::vector<WhatIfCase> cases;
  add_plain(cases);
  add_split(cases);
  add_contention(cases);
  add_noise(cases);
  add_blocking(cases);
  return cases;
}

// In lock-step every execution of a stage overlaps the same, so the record cannot tell what overlap does.
std::vector<WhatIfCase> what_if_limits() {
  const TruePipeline base = crowded(chain({1000, 2500, 1500}));
  std::vector<WhatIfCase> cases;
  cases.push_back(
      {"law unknown, lock-step, two replicas", "limit", base, {"stage.infer.replicas=2"}, [](TruePipeline& t) {
         t.shape.stages[1] = stage_on(1, 2, 2);
       }});
  cases.push_back({"law unknown, lock-step, faster", "limit", base, {"stage.infer.time=x0.5"}, [](TruePipeline& t) {
                     t.stages[1].whole_us[0] *= 0.5;
                   }});
  return cases;
}

}  // namespace takt
