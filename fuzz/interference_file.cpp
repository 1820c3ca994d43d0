// Slow-downs as `takt pipeline whatif --interference` reads them, and the stages behind those that were predicted.
#include "pipeline/contention/interference_file.h"

#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto text = takt::text_of(bytes, size);
  takt::may_refuse([&] { takt::parse_interference(text, "fuzz.json"); });
  takt::may_refuse([&] {
    const auto known = takt::parse_known_stages(text, "fuzz.json");
    if (known) known->slow_down(known->stages.front(), known->stages.back());
  });
  return 0;
}
