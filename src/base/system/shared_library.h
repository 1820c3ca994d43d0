// A library that is loaded while the program runs, where there is one: drivers, and libraries that only a few commands
// use. A program without them starts as fast as before and runs everywhere.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace takt {

/// Stays loaded until the process ends: drivers keep threads that an unloaded library would take the ground from.
/// Thread-safe once constructed.
class SharedLibrary {
 public:
  /// The first of `names` that can be loaded. A name without a slash is looked for where the system looks, and never in
  /// the working directory or another folder that depends on it, even where LD_LIBRARY_PATH names such a one (by an
  /// empty element, too); one with a slash is a path. Throws Error(unsupported) with the system's reason, of the first.
  explicit SharedLibrary(const std::vector<std::string>& names);

  const std::string& name() const { return name_; }  ///< the one that was loaded

  /// nullptr: the library has none of these names. The first that it has is given.
  template <typename Function>
  Function* find(std::initializer_list<const char*> names) const {
    for (const char* one : names)
      if (void* address = address_of(one)) return reinterpret_cast<Function*>(address);
    return nullptr;
  }
  /// Throws Error(unsupported) where it has none of them.
  template <typename Function>
  void get(Function*& function, std::initializer_list<const char*> names) const {
    function = find<Function>(names);
    if (!function) lacks(*names.begin());
  }

 private:
  void* address_of(const char* name) const;
  [[noreturn]] void lacks(const char* name) const;

  void* handle_ = nullptr;
  std::string name_;
};

/// For the first line of a program's main: where LD_LIBRARY_PATH has elements that depend on the working directory
/// (empty ones, which a ':' too many makes, or relative ones), starts the program again without them. What SDKs and
/// drivers load later is then not looked for there either. Throws Error(io) where it cannot be started again.
void leave_out_relative_library_folders(char** arguments);

/// The library at `path`, or the first of `usual` where that is empty. Throws Error(unsupported): `missing`, followed
/// by what the system says.
SharedLibrary open_library(const std::string& path, const std::vector<std::string>& usual, std::string_view missing);

}  // namespace takt
