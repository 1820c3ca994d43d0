// Streams of batches, as `takt plan simulate --stream` reads them.
#include "plan/sets/batch_stream.h"

#include <cstdlib>

#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    const takt::BatchStream stream = takt::parse_batch_stream(takt::text_of(bytes, size), "fuzz.csv");
    if (stream.empty()) std::abort();
  });
  return 0;
}
