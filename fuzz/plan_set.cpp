// Plan sets: what is read can be written, and read again; and it answers for any size.
#include "plan/sets/set_file.h"

#include <cstdlib>

#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    const takt::PlanSet set = takt::parse_plan_set(takt::text_of(bytes, size), "fuzz.json");
    const std::string text = takt::to_json(set, {});
    if (takt::to_json(takt::parse_plan_set(text, "again"), {}) != text) std::abort();
    takt::stretches_of(set);
    for (const takt::GraphSize& asked : {takt::GraphSize{1, 0}, {3000, 9000}, {2147483646, 2147483646}})
      takt::may_refuse([&] { set.expected(asked); });
  });
  return 0;
}
