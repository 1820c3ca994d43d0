// NumPy files, as `--input` reads them.
#include "model/inputs/npy.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] { takt::parse_npy(std::as_bytes(std::span(bytes, size)), "fuzz"); });
  return 0;
}
