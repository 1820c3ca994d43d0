// Costs to plan with, of one size and by size; the kind of a file is told of anything.
#include "plan/estimate/cost_table.h"

#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto text = takt::text_of(bytes, size);
  takt::cost_file_kind(text);
  takt::may_refuse([&] { takt::parse_plan_costs(text, "fuzz.json"); });
  takt::may_refuse([&] { takt::parse_plan_costs(text, "fuzz.json", takt::GraphSize{1000, 5000}); });
  return 0;
}
