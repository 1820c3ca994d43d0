// Dumps of tensors: what is read is written to the same bytes.
#include "model/inputs/tensor_dump.h"

#include <cstdlib>

#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    const takt::GivenTensor given = takt::parse_dump(std::as_bytes(std::span(bytes, size)), "fuzz");
    if (takt::dump_binary(given.tensor) != takt::text_of(bytes, size)) std::abort();
  });
  return 0;
}
