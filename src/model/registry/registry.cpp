#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "model/registry/asked.h"
#include "model/runtime/device_choice.h"
#include "model/runtime/runtime.h"
#include "model/sim/runtime.h"
#include "model/sim/simulated.h"

#define TAKT_RUNTIME(name, ...)                     \
  namespace takt {                                  \
  std::unique_ptr<Runtime> make_##name##_runtime(); \
  RuntimeTraits name##_traits();                    \
  }
#include "model/registry/runtimes.inc"
#undef TAKT_RUNTIME

namespace takt {
namespace {

struct Entry {
  std::string name;
  std::string option;                  ///< the configure option that builds it
  std::vector<std::string> endings;    ///< of the files that it opens, its own format first
  std::unique_ptr<Runtime> (*make)();  ///< null: left out
  RuntimeTraits (*traits)();           ///< null: left out
};

const std::vector<Entry>& entries();

std::unique_ptr<Runtime> make_real_runtime() {
  for (const auto& entry : entries())
    if (entry.make && entry.name != simulated_runtime) return entry.make();
  throw Error(ErrorKind::unsupported,
              "sim: 'compute: true' needs a real runtime, and this binary has none; configure with "
              "-DTAKT_WITH_ONNXRUNTIME=ON or remove the key");
}

// TAKT_HAS_NAME is 1 if the runtime is in this binary; CMake says so.
#define TAKT_IF_1(function) function
#define TAKT_IF_0(function) nullptr
#define TAKT_IF(condition, function) TAKT_IF_NOW(condition, function)
#define TAKT_IF_NOW(condition, function) TAKT_IF_##condition(function)
#define TAKT_RUNTIME(name, ...)                     \
  {#name,                                           \
   "TAKT_WITH_" + upper_case(#name),                \
   {__VA_ARGS__},                                   \
   TAKT_IF(TAKT_HAS_##name, make_##name##_runtime), \
   TAKT_IF(TAKT_HAS_##name, name##_traits)},

// In the order in which they are offered: real runtimes first.
const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{
#include "model/registry/runtimes.inc"
      {std::string(simulated_runtime), "", {".onnx"}, [] { return make_sim_runtime(make_real_runtime); }, sim_traits},
  };
  return all;
}
#undef TAKT_RUNTIME
#undef TAKT_IF_NOW
#undef TAKT_IF
#undef TAKT_IF_0
#undef TAKT_IF_1

bool reads(const Entry& entry, const std::string& ending) {
  return std::find(entry.endings.begin(), entry.endings.end(), ending) != entry.endings.end();
}

std::string ending_of(const std::filesystem::path& model) { return lower_case(model.extension().string()); }

std::vector<std::string> names(bool built) {
  std::vector<std::string> result;
  for (const auto& entry : entries())
    if ((entry.make != nullptr) == built) result.push_back(entry.name);
  return result;
}

/// Adds what can be used and is not in the list.
void add_usable(const ToldDevices& told, std::vector<std::string>& usable) {
  if (!told.reason.empty()) return;
  for (const DeviceStatus& status : told.devices)
    if (!status.reason && std::find(usable.begin(), usable.end(), status.device) == usable.end())
      usable.push_back(status.device);
}

}  // namespace

std::vector<std::string> runtime_names() { return names(true); }
std::vector<std::string> missing_runtime_names() { return names(false); }

namespace {

/// Throws Error(unsupported): nothing has this name, or it was left out.
const Entry& entry_of(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& entry : entries()) {
    known.push_back(entry.name);
    if (entry.name != name) continue;
    if (entry.make) return entry;
    throw Error(ErrorKind::unsupported,
                fmt::format("runtime '{}': left out of this binary; configure with -D{}=ON, or use {}", name,
                            entry.option, fmt::join(runtime_names(), ", ")));
  }
  throw Error(ErrorKind::unsupported, fmt::format("runtime '{}': unknown; {}", printable(name),
                                                  suggestion(lower_case(name), known,
                                                             fmt::format("use {}", fmt::join(runtime_names(), ", ")))));
}

}  // namespace

std::unique_ptr<Runtime> make_runtime(std::string_view name) { return entry_of(name).make(); }

RuntimeTraits traits_of(std::string_view name) { return entry_of(name).traits(); }

std::string runtime_that(bool RuntimeTraits::*trait) {
  for (const auto& entry : entries())
    if (entry.make && entry.traits().*trait) return entry.name;
  return "";
}

bool is_model_file(const std::filesystem::path& model) {
  return std::any_of(entries().begin(), entries().end(), [&](auto& entry) { return reads(entry, ending_of(model)); });
}

RuntimeChoice runtime_for(const std::filesystem::path& model) {
  // A file of another name may be a model all the same; most are ONNX.
  const std::string ending = is_model_file(model) ? ending_of(model) : ".onnx";
  std::string own;
  for (const auto& entry : entries()) {
    if (entry.endings.front() != ending || entry.name == simulated_runtime) continue;
    own = entry.name;
    if (entry.make) return {own, fmt::format("for {} files", ending)};
  }
  // Nobody asked for a runtime, so another real one that reads the file is a choice and not a substitution.
  for (const auto& entry : entries())
    if (entry.make && entry.name != simulated_runtime && reads(entry, ending))
      return {entry.name, fmt::format("{} is not in this binary", own)};
  return {own, fmt::format("for {} files", ending)};
}

std::vector<std::string> runtimes_reading(const std::filesystem::path& model) {
  std::vector<std::string> readers{runtime_for(model).name};
  for (const auto& entry : entries())
    if (entry.make && entry.name != readers.front() && entry.name != simulated_runtime &&
        reads(entry, ending_of(model)))
      readers.push_back(entry.name);
  return readers;
}

RuntimeChoice runtime_for_device(const std::filesystem::path& model, std::string_view device,
                                 const std::function<ToldDevices(const std::string&)>& told) {
  RuntimeChoice own = runtime_for(model);
  const auto readers = runtimes_reading(model);
  if (names_cpu(device) || readers.size() < 2) return own;  // who is the only one says best what is wrong
  std::vector<std::string> reasons, usable;
  for (const std::string& name : readers) {
    const ToldDevices of_runtime = told(name);
    const std::string reason =
        of_runtime.reason.empty() ? reason_against(of_runtime.devices, device) : of_runtime.reason;
    if (reason.empty())
      return name == own.name ? own : RuntimeChoice{name, fmt::format("{} has no {}", own.name, printable(device))};
    reasons.push_back(fmt::format("{}: {}", name, reason));
    add_usable(of_runtime, usable);
  }
  throw Error(ErrorKind::unsupported,
              fmt::format("{}: device {} cannot be used ({}); use {}", printable(model.string()), printable(device),
                          fmt::join(reasons, "; "), fmt::join(usable, ", ")));
}

RuntimeChoice runtime_for_device(const std::filesystem::path& model, std::string_view device) {
  static std::mutex mutex;
  static std::map<std::string, ToldDevices> known;
  return runtime_for_device(model, device, [](const std::string& name) {
    const std::lock_guard lock(mutex);
    const auto found = known.find(name);
    return found != known.end() ? found->second : known.emplace(name, devices_told_apart(name)).first->second;
  });
}

}  // namespace takt
