// takt's own profiles, read back and compared with themselves as `takt compare` does.
#include "measure/compare/profile_reader.h"
#include "measure/compare/report.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    const takt::RecordedProfile profile = takt::parse_recorded_profile(takt::text_of(bytes, size), "fuzz.json");
    const takt::Comparison made = takt::compare_profiles({&profile, 1}, {&profile, 1}, {}, false);
    takt::to_text(made, true);
    takt::to_junit({&made, 1}, std::nullopt);
  });
  return 0;
}
