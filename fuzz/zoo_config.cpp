// Configurations of the zoo: what is accepted names models that exist.
#include <cstdlib>

#include "predict/zoo/zoo.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    const auto config = takt::parse_zoo_config(std::string(takt::text_of(bytes, size)), "fuzz.yaml");
    for (const takt::ZooModel& model : config.models)
      if (!takt::zoo_family(model.family) || model.batch < 1 || model.name().empty()) std::abort();
  });
  return 0;
}
