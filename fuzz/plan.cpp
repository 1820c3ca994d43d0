// Plans as text and as JSON: what is taken can be written down in both forms and read again.
#include "plan/estimate/plan.h"

#include <cstdlib>

#include "refused.h"

namespace {

void check_forms(const takt::Plan& plan) {
  if (takt::parse_plan(takt::to_string(plan), "fuzz") != plan) std::abort();
  if (takt::parse_plan_json(takt::to_json(plan), "fuzz") != plan) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto text = takt::text_of(bytes, size);
  takt::may_refuse([&] { check_forms(takt::parse_plan(text, "fuzz")); });
  takt::may_refuse([&] { check_forms(takt::parse_plan_json(text, "fuzz")); });
  return 0;
}
