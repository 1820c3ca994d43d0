// Trees in XGBoost's JSON form or packed: what is read predicts a number, whatever it is asked.
#include "predict/fit/tree_ensemble.h"

#include <cmath>
#include <vector>

#include "predict/fit/packed_trees.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    const auto text = takt::text_of(bytes, size);
    const takt::TreeEnsemble trees = takt::are_packed_trees(text) ? takt::unpacked_trees(text, "fuzz.trees", 3)
                                                                  : takt::parse_trees(text, "fuzz.json", 3);
    const std::vector<float> features{1.0f, std::nanf(""), -1e30f};
    if (std::isnan(trees.predict(features))) std::abort();
  });
  return 0;
}
