// Opens a profile of any kind that takt reads: its own and MegEngine's, ONNX Runtime's, benchmark_app's.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "measure/profiles/foreign_profile.h"
#include "measure/profiles/peer_profile.h"
#include "measure/profiles/profile_samples.h"

namespace takt {

struct ProfileFile {
  PeerProfile profile;
  std::string description;         ///< "ONNX Runtime profile, 12 runs"; empty for takt's own kind
  std::vector<std::string> notes;  ///< one sentence each
  ProfileSamples samples;          ///< as open_profile was asked for them
};

/// What is wanted beyond operators and their times; each costs memory.
struct ProfileParts {
  bool types = false;    ///< data types of variables, as in PeerProfile
  bool samples = false;  ///< times of each run
};

/// The kind is told by the content. Throws Error(io) when the file cannot be read, Error(bad_input) when it is none of
/// these.
ProfileFile open_profile(const std::filesystem::path& path, const ProfileParts& parts = {});

/// Operators as records with the mean over the runs as their time. Ids are places in the list.
PeerProfile to_peer_profile(const ForeignProfile& profile);

}  // namespace takt
