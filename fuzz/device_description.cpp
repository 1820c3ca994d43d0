// The YAML description of a simulated device.
#include "model/sim/device_description.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] { takt::parse_device_description(std::string(takt::text_of(bytes, size)), "fuzz.yaml"); });
  return 0;
}
