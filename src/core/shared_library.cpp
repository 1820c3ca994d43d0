#include "core/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"

namespace takt {

SharedLibrary::SharedLibrary(const std::vector<std::string>& names) {
  std::string reason;
  for (const std::string& name : names) {
    handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_) {
      name_ = name;
      return;
    }
    const char* said = ::dlerror();
    if (reason.empty()) reason = said ? said : name;
  }
  throw Error(ErrorKind::unsupported, fmt::format("cannot be loaded ({})", printable(reason)));
}

void* SharedLibrary::address_of(const char* name) const { return ::dlsym(handle_, name); }

void SharedLibrary::lacks(const char* name) const {
  throw Error(ErrorKind::unsupported, fmt::format("'{}' lacks the function {}; it is of another version, or another "
                                                  "library",
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
