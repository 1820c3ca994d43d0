// The sizes of a sweep: what is accepted are sizes that a graph can have.
#include "plan/sweep/cases.h"

#include <cstdlib>

#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    const takt::SweepCases cases = takt::parse_cases(takt::text_of(bytes, size), "fuzz.json");
    if (cases.sizes.empty() || cases.features < 1 || cases.warmup < 0 || cases.iterations < 1) std::abort();
    for (const takt::GraphSize& one : cases.sizes)
      if (one.nodes < 1 || one.edges < 0) std::abort();
  });
  return 0;
}
