// Inputs in a JSON file, as `--input` reads them.
#include "model/inputs/json.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] { takt::parse_input_json(takt::text_of(bytes, size), "fuzz"); });
  return 0;
}
