// Trees in XGBoost's JSON form: what is read predicts a number, whatever it is asked.
#include "predict/fit/tree_ensemble.h"

#include <cmath>
#include <vector>

#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    const takt::TreeEnsemble trees = takt::parse_trees(takt::text_of(bytes, size), "fuzz.json", 3);
    const std::vector<float> features{1.0f, std::nanf(""), -1e30f};
    if (std::isnan(trees.predict(features))) std::abort();
  });
  return 0;
}
