// Measured slow-downs, as `takt pipeline whatif --interference` reads them.
#include "replay/interference_file.h"

#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] { takt::parse_interference(takt::text_of(bytes, size), "fuzz.json"); });
  return 0;
}
