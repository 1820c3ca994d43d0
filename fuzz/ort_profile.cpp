// ONNX Runtime profiles, as `takt analyze` reads them.
#include "measure/profiles/foreign_profile.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] { takt::parse_ort_profile(takt::text_of(bytes, size), "fuzz"); });
  return 0;
}
