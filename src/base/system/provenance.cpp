#include "base/system/provenance.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "base/system/affinity.h"
#include "base/system/version.h"

namespace takt {
namespace {

std::string describe_cpu() {
  std::string cpuinfo;
  try {
    cpuinfo = read_file("/proc/cpuinfo");
  } catch (const Error&) {
    // Not every system has it, and a missing name is said to be unknown.
  }
  return fmt::format("{}, {} logical cores", processor_name(cpuinfo), usable_core_count());
}

std::string describe_build() {
  std::string text = build_type;
  if (*sanitizers) text += fmt::format(" ({} sanitizer)", sanitizers);
  return text;
}

}  // namespace

Provenance make_provenance(std::vector<std::string> command) {
  Provenance provenance;
  provenance.takt_version = version;
  provenance.command = std::move(command);
  provenance.date = provenance.host = provenance.cpu = provenance.os = provenance.build_type = "-";
  const char* fixed = std::getenv("TAKT_FIXED_PROVENANCE");
  if (fixed != nullptr && std::string_view(fixed) == "1") return provenance;
  provenance.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  utsname system{};
  if (uname(&system) == 0) {
    provenance.host = system.nodename;
    provenance.os = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
  }
  provenance.cpu = describe_cpu();
  provenance.build_type = describe_build();
  return provenance;
}

std::string to_json(const Provenance& p) {
  nlohmann::ordered_json json{{"schema_version", p.schema_version},
                              {"takt_version", p.takt_version},
                              {"command", p.command},
                              {"date", p.date},
                              {"host", p.host},
                              {"cpu", p.cpu},
                              {"os", p.os},
                              {"build_type", p.build_type}};
  if (!p.runtime.empty()) {
    json["runtime"] = p.runtime;
    json["runtime_version"] = p.runtime_version;
    json["device"] = p.device;
  }
  json["settings"] = p.settings;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string build_warning() {
  std::string build = describe_build();
  if (build == "Release" || build == "RelWithDebInfo") return "";
  return fmt::format("this is a {} build: its times are not those of a release build", build);
}

}  // namespace takt
