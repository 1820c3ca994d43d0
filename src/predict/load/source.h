// Something that tells load. All of them work the same way: begin() opens a window, read() tells of the time since.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "predict/load/reading.h"

namespace takt {

struct SourceReadings {
  std::vector<LoadReading> readings;
  std::vector<SourceTrouble> troubles;
};

/// Not thread-safe. What is not there or does not answer is a trouble in the answer; nothing throws for it.
class LoadSource {
 public:
  LoadSource() = default;
  virtual ~LoadSource() = default;
  LoadSource(const LoadSource&) = delete;
  LoadSource& operator=(const LoadSource&) = delete;

  virtual std::string_view name() const = 0;
  /// Starts the time that read() reports on. May be called repeatedly.
  virtual void begin() = 0;
  /// Returns the readings since the last begin(), as far as the source reports spans; ages count to the end of the
  /// call. May be called several times after one begin().
  virtual SourceReadings read() = 0;
  /// Whether reading is a load that others would see: it is read last.
  virtual bool disturbs() const { return false; }
};

/// Where a source cannot be had at all: it tells only why.
class AbsentSource : public LoadSource {
 public:
  AbsentSource(std::string name, std::string why) : name_(std::move(name)), why_(std::move(why)) {}
  std::string_view name() const override { return name_; }
  void begin() override {}
  SourceReadings read() override { return {{}, {{name_, why_}}}; }

 private:
  std::string name_, why_;
};

void begin_all(const std::vector<std::unique_ptr<LoadSource>>& sources);
/// Ages count to the end of the call. Values that cannot be are missing, whoever told them (checked()).
LoadSnapshot read_all(const std::vector<std::unique_ptr<LoadSource>>& sources);

}  // namespace takt
