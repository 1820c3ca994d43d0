// Datasets of measured kernels: what is read can be written, and read again.
#include "predict/fit/dataset.h"

#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    const std::string text = takt::dataset_csv(takt::parse_dataset(takt::text_of(bytes, size), "fuzz.csv"));
    if (takt::dataset_csv(takt::parse_dataset(text, "again")) != text) std::abort();
  });
  return 0;
}
