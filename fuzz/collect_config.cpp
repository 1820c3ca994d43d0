// The YAML file of a collection.
#include "predict/collect/collect.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] { takt::parse_collect_config(std::string(takt::text_of(bytes, size)), "fuzz.yaml"); });
  return 0;
}
