#include "base/system/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"

namespace takt {
namespace {

constexpr const char* library_path = "LD_LIBRARY_PATH";

/// Where the system's loader looks for a library that this code asks for, before its cache: folders of the program or
/// library that the code is in, of LD_LIBRARY_PATH, and its own. nullopt: it does not tell.
std::optional<std::vector<std::string>> searched_folders() {
  Dl_info here{};
  if (::dladdr(reinterpret_cast<const void*>(&leave_out_relative_library_folders), &here) == 0) return std::nullopt;
  void* own = ::dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (own == nullptr) own = ::dlopen(nullptr, RTLD_LAZY);  // the program itself
  Dl_serinfo size{};
  if (own == nullptr || ::dlinfo(own, RTLD_DI_SERINFOSIZE, &size) != 0) return std::nullopt;
  std::vector<std::max_align_t> memory(size.dls_size / sizeof(std::max_align_t) + 1);
  auto* found = reinterpret_cast<Dl_serinfo*>(memory.data());
  if (::dlinfo(own, RTLD_DI_SERINFOSIZE, found) != 0 || ::dlinfo(own, RTLD_DI_SERINFO, found) != 0) return std::nullopt;
  std::vector<std::string> folders;
  const auto* list = static_cast<const Dl_serpath*>(found->dls_serpath);
  for (unsigned i = 0; i < found->dls_cnt; ++i) folders.emplace_back(list[i].dls_name);
  return folders;
}

bool is_absolute(const std::string& folder) { return folder.starts_with('/'); }

/// What the loader may be given for a library's name.
std::vector<std::string> places_of(const std::string& name) {
  if (name.find('/') != name.npos) return {std::filesystem::absolute(name).lexically_normal().string()};
  const auto folders = searched_folders();
  if (folders && std::all_of(folders->begin(), folders->end(), is_absolute)) return {name};
  std::vector<std::string> places;
  std::error_code ignored;
  for (const std::string& folder : folders.value_or(std::vector<std::string>{}))
    if (is_absolute(folder) && std::filesystem::exists(folder + "/" + name, ignored))
      places.push_back(folder + "/" + name);
  return places;
}

/// nullptr, and why, for the first place: it cannot be loaded.
void* load(const std::string& name, std::string& reason) {
  for (const std::string& place : places_of(name)) {
    if (void* handle = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    const char* said = ::dlerror();
    if (reason.empty()) reason = said ? said : name;
  }
  if (reason.empty())
    reason = fmt::format("{}: not in the system's folders; {} names the working directory, so its cache is ignored",
                         name, library_path);
  return nullptr;
}

}  // namespace

void leave_out_relative_library_folders(char** arguments) {
  const char* set = std::getenv(library_path);
  if (set == nullptr || *set == '\0') return;
  std::string list(set), kept;
  std::replace(list.begin(), list.end(), ';', ':');  // either divides
  bool is_whole = true;
  for (const std::string& folder : split(list, ':')) {
    if (is_absolute(folder))
      kept += (kept.empty() ? "" : ":") + folder;
    else
      is_whole = false;
  }
  if (is_whole) return;
  if (kept.empty())
    ::unsetenv(library_path);
  else
    ::setenv(library_path, kept.c_str(), 1);
  ::execv("/proc/self/exe", arguments);
  throw Error(
      ErrorKind::io,
      fmt::format(
          "{} names folders that depend on the working directory, and takt cannot restart without them ({}); give "
          "absolute paths there",
          library_path, reason_of(errno)));
}

SharedLibrary::SharedLibrary(const std::vector<std::string>& names) {
  std::string reason;
  for (const std::string& name : names) {
    handle_ = load(name, reason);
    if (handle_) {
      name_ = name;
      return;
    }
  }
  throw Error(ErrorKind::unsupported, fmt::format("cannot be loaded ({})", printable(reason)));
}

void* SharedLibrary::address_of(const char* name) const { return ::dlsym(handle_, name); }

void SharedLibrary::lacks(const char* name) const {
  throw Error(ErrorKind::unsupported,
              fmt::format("'{}' does not have the function {}; it is another version or another library",
                          printable(name_), name));
}

SharedLibrary open_library(const std::string& path, const std::vector<std::string>& usual, std::string_view missing) {
  try {
    return SharedLibrary(path.empty() ? usual : std::vector{path});
  } catch (const Error& error) {
    throw Error(ErrorKind::unsupported, fmt::format("{} {}", missing, error.what()));
  }
}

}  // namespace takt
