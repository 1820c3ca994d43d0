// keep_peaks WHICH COUNT: keeps peaks of COUNT levels of memory in $TAKT_CACHE_DIR, of which those of level WHICH are
// the best that anybody measures.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "base/machine/peaks_file.h"
#include "base/system/provenance.h"

int main(int, char** words) try {
  takt::Peaks peaks;
  peaks.threads = 1;
  const int which = std::atoi(words[1]), count = std::atoi(words[2]);
  for (int i = 0; i < count; ++i) {
    const takt::PeakRate rate{i == which ? 2000.0 : 1000.0, 1000.0};
    peaks.levels.push_back({"level " + std::to_string(i), 1, 1, {rate, rate}, {rate, rate}});
  }
  takt::save_peaks(peaks, takt::detect_machine_class(), takt::make_provenance({"keep_peaks"}));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "takt: %s\n", error.what());
  return 1;
}
