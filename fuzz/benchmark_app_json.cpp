// Reports of benchmark_app, json, as `takt analyze` reads them.
#include "measure/profiles/foreign_profile.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] { takt::parse_benchmark_app_json(takt::text_of(bytes, size), "fuzz"); });
  return 0;
}
