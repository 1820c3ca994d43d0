// Where a result comes from. Every file takt writes starts with it.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace takt {

struct Provenance {
  int schema_version = 1;
  std::string takt_version;
  std::vector<std::string> command;  ///< as typed
  std::string date;                  ///< UTC, ISO 8601 with seconds
  std::string host;
  std::string cpu;  ///< model name and number of logical cores this process may use
  std::string os;
  std::string build_type;                        ///< "Release", with sanitizers named where built in
  std::string runtime, runtime_version, device;  ///< empty where nothing was run
  std::map<std::string, std::string> settings;   ///< what was asked for, seed included
};

/// Fills in everything about this program and machine. TAKT_FIXED_PROVENANCE=1 in the environment replaces what differs
/// between machines and moments (date, host, cpu, os, build type) by "-", for byte-exact tests.
Provenance make_provenance(std::vector<std::string> command);

std::string to_json(const Provenance& provenance);  ///< one JSON object

/// A sentence when numbers of this build should not be trusted (Debug, sanitized); empty otherwise.
std::string build_warning();

}  // namespace takt
