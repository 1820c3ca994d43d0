// peaks.json: what is used of it can be written, and read again. The machine is that of the seeds.
#include "base/machine/peaks_file.h"

#include <string>

#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const takt::MachineClass machine{"A processor", 2, 24, {"avx2", "fma"}, ""};
  takt::may_refuse([&] {
    const takt::KnownPeaks known = takt::parse_peaks(takt::text_of(bytes, size), machine, "fuzz.json");
    if (!known.peaks && known.reason.empty()) std::abort();
    if (!known.peaks) return;
    const std::string text = takt::peaks_to_json(*known.peaks, machine, {});
    const takt::KnownPeaks again = takt::parse_peaks(text, machine, "again");
    if (!again.peaks || takt::peaks_to_json(*again.peaks, machine, {}) != text) std::abort();
  });
  return 0;
}
