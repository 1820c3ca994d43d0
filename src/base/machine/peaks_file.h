// Measured peaks in the user's cache folder, so that every command can use them. They hold for one machine class and
// one version of takt; others are not used.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/machine/class.h"
#include "base/machine/peaks.h"
#include "base/system/provenance.h"

namespace takt {

/// TAKT_CACHE_DIR, or takt/ in XDG_CACHE_HOME, or ~/.cache/takt; empty where the environment has none of these.
std::filesystem::path cache_folder();

/// cache_folder()/peaks.json; empty where there is no such folder.
std::filesystem::path peaks_path();

/// One JSON object, format in docs/formats.md.
std::string peaks_to_json(const Peaks& peaks, const MachineClass& machine, const Provenance& provenance);

struct KnownPeaks {
  std::optional<Peaks> peaks;
  std::string reason;  ///< one sentence saying why there are none, and what to do; empty with peaks
};

/// Pure. Peaks of another class or version are not used, and `reason` says what differs. Throws Error(bad_input) when
/// the text is no file of peaks; `origin` begins the message.
KnownPeaks parse_peaks(std::string_view json, const MachineClass& now, const std::string& origin);

/// The peaks of this machine, if measured. A file that cannot be read or is damaged is a reason, no error.
KnownPeaks load_peaks();

/// Puts every value of `earlier` that is better in the place of that of `now`; returns how many. Other programs only
/// slow a measurement down, so a busy one never replaces a better one. Pure.
int keep_better(Peaks& now, const Peaks& earlier);

/// Throws what save_peaks() would, before the work of measuring.
void check_peaks_writable();

struct KeptPeaks {
  std::filesystem::path path;
  Peaks peaks;  ///< as they are in the file
  int earlier =
      0;  ///< values of them that an earlier measurement of this machine had found, and this one did not reach
};

/// Replaces the file as a whole, the better values of the earlier one kept; makes the folder. Several programs at once
/// lose none of their values (FolderLock). Throws Error(io).
KeptPeaks save_peaks(Peaks peaks, const MachineClass& machine, const Provenance& provenance);

}  // namespace takt
