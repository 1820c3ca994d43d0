// What processes that make loads are asked for: `takt stress`, and the loads beside which stages are measured.
#include <cstdlib>

#include "predict/stress/stress.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto text = takt::text_of(bytes, size);
  takt::may_refuse([&] {
    const std::string task = takt::to_json(takt::parse_stress_task(text));
    if (takt::to_json(takt::parse_stress_task(task)) != task) std::abort();
  });
  takt::may_refuse([&] {
    const std::string task = takt::to_json(takt::parse_load_task(text));
    if (takt::to_json(takt::parse_load_task(task)) != task) std::abort();
  });
  return 0;
}
