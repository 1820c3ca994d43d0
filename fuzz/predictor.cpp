// predictor.json, beside trees that decide nothing.
#include <string>

#include "predict/answer/predictor_file.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    const std::string leaf =
        R"({"learner": {"objective": {"name": "reg:squarederror"}, "learner_model_param": {"base_score": "0"},
      "gradient_booster": {"name": "gbtree", "model": {"trees": []}}}})";
    const takt::Predictor read =
        takt::parse_predictor(takt::text_of(bytes, size), "fuzz.json", [&](const std::string&) { return leaf; });
    takt::predictor_json(read, {});
  });
  return 0;
}
