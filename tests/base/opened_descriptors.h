// What takt's own code opens, call by call: a program that links opened_descriptors.cpp has it in the place of the C
// library's functions. A descriptor that lacks close-on-exec lives on in every child, with its lock or its connection.
#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace takt {

/// While one lives, what is opened on any thread is listed; also in a copy of the process. One at a time.
class OpenedDescriptors {
 public:
  OpenedDescriptors();
  ~OpenedDescriptors();
  OpenedDescriptors(const OpenedDescriptors&) = delete;
  OpenedDescriptors& operator=(const OpenedDescriptors&) = delete;

  /// The functions that opened something, in order: "open pipe2".
  std::string functions() const;
  /// Those whose descriptor children would have, with what was opened; empty: none.
  std::string inherited() const;

  void add(const std::string& function, const std::string& what, bool is_inherited);

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> functions_, inherited_;
};

/// Descriptors above standard error that are open now and that children would have, but for those that were so when the
/// program began.
std::string inheritable_descriptors();

}  // namespace takt
