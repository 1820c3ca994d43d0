// Measured peaks in the user's cache folder, so that every command can use them. They hold for one machine class and
// one version of takt; others are not used.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/provenance.h"
#include "machine/machine_class.h"
#include "machine/peaks.h"

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

/// Replaces the file as a whole; makes the folder. Returns its path. Throws Error(io).
std::filesystem::path save_peaks(const Peaks& peaks, const MachineClass& machine, const Provenance& provenance);

}  // namespace takt
