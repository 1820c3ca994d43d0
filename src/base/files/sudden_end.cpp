#include "base/files/sudden_end.h"

#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include "base/basics/leftovers.h"

namespace takt {
namespace {

struct Clearings {
  std::mutex mutex;
  std::vector<std::function<void()>> all;
};

/// Never destroyed: a process may end suddenly while its statics are.
Clearings& clearings() {
  static auto& instance = *new Clearings;
  return instance;
}

}  // namespace

void at_sudden_end(std::function<void()> clear) {
  const std::lock_guard lock(clearings().mutex);
  clearings().all.push_back(std::move(clear));
}

void end_suddenly(int code) {
  clearings().mutex.lock();  // for good
  for (const auto& clear : clearings().all) clear();
  remove_leftovers();
  std::_Exit(code);
}

}  // namespace takt
