// Weights that sessions of a model read in a mapped file: what was read of it while kernels made packed copies would
// count as memory of this program, too. A thread gives those pages back; they come again from the system's cache of
// files if somebody reads on.
#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "base/files/file.h"

namespace takt {

/// As long as it lives, pages of `file` are given back again and again; the last time when it ends.
class PagesGivenBack {
 public:
  explicit PagesGivenBack(std::shared_ptr<const MappedFile> file);
  ~PagesGivenBack();
  PagesGivenBack(const PagesGivenBack&) = delete;
  PagesGivenBack& operator=(const PagesGivenBack&) = delete;

 private:
  std::shared_ptr<const MappedFile> file_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;  // last: it uses what is above
};

}  // namespace takt
