// Profiles in the peer's schema, read and reported as `takt analyze` does.
#include "measure/profiles/peer_profile.h"

#include "fuzz_file.h"
#include "measure/profiles/analyze.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const takt::FuzzFile file;
  takt::may_refuse([&] {
    const takt::PeerProfile profile(file.holding(takt::text_of(bytes, size)), true);
    takt::AnalyzeOptions options;
    options.show_host = true;
    takt::analyze_report(profile, options);
  });
  return 0;
}
