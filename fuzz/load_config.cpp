// The section `load` of a configuration. Files that it names for passwords are not read: the word is taken out.
#include "predict/sources/config.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(takt::text_of(bytes, size));
  if (text.find("_file") != std::string::npos) return 0;
  takt::may_refuse([&] { takt::parse_load_config_file(text, "fuzz.yaml"); });
  return 0;
}
