// The grammar of `--input`.
#include "model/inputs/spec.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] { takt::parse_input_specs(takt::text_of(bytes, size)); });
  return 0;
}
