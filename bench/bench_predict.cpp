// What asking a predictor costs once it is loaded: a model whose kernels it has never seen, so that every one goes
// through all trees, and one that it has measured. Predictors are promised to answer within a millisecond a model, so
// that a scheduler can ask for every request; printed is the median of many calls, its ratio to that limit, and what
// the same answer costs kernel by kernel. Exit code 1 when a model of up to 250 different kernels takes longer, or one
// of 300 in twelve layers.
//
// usage: bench_predict [CALLS]   200 unless told
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "base/basics/error.h"
#include "base/statistics/statistics.h"
#include "predict/answer/predict_words.h"
#include "predict/answer/predictor.h"

namespace takt {
namespace {

constexpr double limit_us = 1000;

double law(const KernelFacts& facts) {
  return 2 + facts[Feature::flops] / 1000 * 0.8 + facts[Feature::input_bytes] / 1000 * 1.1;
}

Predictor trained() {
  const Dataset dataset = drawn_dataset(45, 60, 0.03, law);
  std::vector<std::size_t> all(dataset.models.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return train(dataset, all, {});
}

template <typename Call>
double median_us(int calls, Call call) {
  std::vector<double> times;
  for (int i = 0; i < calls; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  return *median(times);
}

struct Case {
  int kernels, layers;  ///< a layer's kernels are those of the first
  bool has_measured;
};

bool holds(const Predictor& predictor, const Case& one, int calls) {
  const Dataset drawn = drawn_dataset(1, one.kernels / one.layers, 0, law, one.has_measured ? 1 : 77);
  std::vector<KernelFacts> facts;
  for (int layer = 0; layer < one.layers; ++layer)
    for (const CollectedKernel& kernel : drawn.models.front().kernels) facts.push_back(kernel.facts);
  double sum = 0;
  const double whole = median_us(calls, [&] { sum += predict(predictor, facts).us; });
  const double single = median_us(calls, [&] {
    for (const KernelFacts& kernel : facts) sum += predict(predictor, std::span(&kernel, 1)).us;
  });
  const auto tier = one.has_measured ? Tier::measured : Tier::trained;
  const double share = predict(predictor, facts).share(tier);
  const bool is_held = whole <= limit_us && sum > 0;
  fmt::print("{:>7} {:>6}  {:8} {:5.0f} %  {:9.1f} us {:7.3f} {:12.1f} us  {}\n", one.kernels, one.layers,
             name_of(tier), 100 * share, whole, whole / limit_us, single, is_held ? "PASS" : "FAIL");
  return is_held;
}

}  // namespace
}  // namespace takt

int main(int count, char** arguments) try {
  using namespace takt;
  const int calls = count > 1 && arguments[1][0] != '-' ? std::max(std::atoi(arguments[1]), 1) : 200;
  const Predictor predictor = trained();
  fmt::print("kernels layers  from        share       a model   ratio  one by one (at most {:.0f} us a model)\n",
             limit_us);
  bool all = true;
  for (const Case& one :
       {Case{60, 1, true}, Case{60, 1, false}, Case{150, 1, false}, Case{250, 1, false}, Case{300, 12, false}})
    all = holds(predictor, one, calls) && all;
  return all ? 0 : 1;
} catch (const takt::Error& error) {  // trained without XGBoost, for one
  fmt::print(stderr, "bench_predict: {}\n", error.what());
  return 1;
}
