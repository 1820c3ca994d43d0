// The grammar of `takt pipeline whatif --set` and `--sweep`: what is taken can be written down and read again.
#include "pipeline/whatif/change.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = takt::text_of(bytes, size);
  takt::may_refuse([&] {
    if (takt::parse_change(text).text != text) std::abort();
  });
  takt::may_refuse([&] {
    for (const auto& change : takt::parse_sweep(text))
      if (!change.number) std::abort();
  });
  return 0;
}
