// Portable pixmaps and greymaps, as `--input` reads them.
#include "model/inputs/image.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] { takt::parse_netpbm(std::as_bytes(std::span(bytes, size)), "fuzz"); });
  return 0;
}
