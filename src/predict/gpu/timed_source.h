// A source in somebody else's code that may hang, as the driver of a GPU that is about to be lost does: it is asked on
// a thread of its own, and whoever asks waits no longer than a limit.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "predict/load/source.h"

namespace takt {

/// As long as a call hangs, all that follow are late at once; when it returns after all, the next one is made.
class TimedSource : public LoadSource {
 public:
  using Make = std::function<std::unique_ptr<LoadSource>()>;
  /// Throws what `make` throws. Where that is late, so is everything else.
  TimedSource(std::string name, Make make, Nanoseconds limit);
  /// A thread that hangs is left behind, with all that it uses.
  ~TimedSource() override;

  std::string_view name() const override { return name_; }
  void begin() override;
  SourceReadings read() override;

 private:
  struct Work;
  bool call(std::function<void(Work& work)> job);  ///< false: it is late

  std::string name_;
  Nanoseconds limit_;
  std::shared_ptr<Work> work_;
  std::thread thread_;
};

}  // namespace takt
