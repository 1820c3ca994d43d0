#include "predict/stress/gpu_load.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>

#include "base/basics/error.h"
#include "predict/gpu/worker.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds most_gpu_debt = 100ms;

}  // namespace

GpuLoad::GpuLoad(const GpuSettings& settings)
    : gpu_(std::make_unique<GpuWorker>(settings.library, settings.device)), name_(gpu_->device_name()) {
  std::promise<void> prepared;
  thread_ = std::thread([this, levels = settings.levels, &prepared] { run(levels, prepared); });
  try {
    prepared.get_future().get();
  } catch (...) {
    thread_.join();
    throw;
  }
}

void GpuLoad::run(GpuLevels levels, std::promise<void>& prepared) {
  bool is_prepared = false;
  try {
    gpu_->prepare(levels.compute > 0, levels.copies > 0);
    is_prepared = true;
    prepared.set_value();  // from here on the promise is gone
    work(levels);
  } catch (const Error& error) {
    failure_ = error.what();
    has_failed_ = true;
    if (!is_prepared) {
      gpu_->release();
      prepared.set_exception(std::current_exception());
      return;
    }
  }
  gpu_->release();
}

GpuLoad::~GpuLoad() {
  stop_ = true;
  thread_.join();
}

GpuLoad::Worked GpuLoad::worked() const { return {Nanoseconds(compute_ns_), Nanoseconds(copies_ns_)}; }

std::string GpuLoad::failure() const { return has_failed_ ? failure_ : ""; }

// As on processors (base/machine/load_work.cpp): the kind that lacks most of its share is next, and none makes up for
// more than a little.
void GpuLoad::work(GpuLevels levels) {
  const std::array<double, 2> shares{levels.compute, levels.copies};
  std::array<double, 2> lacks{};  // ns
  for (Nanoseconds now = steady_now(); !stop_;) {
    const std::size_t kind = shares[1] == 0 || (shares[0] > 0 && lacks[0] >= lacks[1]) ? 0 : 1;
    if (lacks[kind] < 0 || shares[kind] == 0) {
      const double wait = shares[kind] > 0 ? -lacks[kind] / shares[kind] : 1e6;
      std::this_thread::sleep_for(Nanoseconds(std::llround(std::clamp(wait, 1e5, 1e7))));
    } else {
      const Nanoseconds took = kind == 0 ? gpu_->multiply() : gpu_->copy();
      lacks[kind] -= static_cast<double>(took.count());
      (kind == 0 ? compute_ns_ : copies_ns_) += took.count();
    }
    const Nanoseconds after = steady_now();
    for (std::size_t i = 0; i < shares.size(); ++i)
      lacks[i] = std::min(lacks[i] + shares[i] * static_cast<double>((after - now).count()),
                          static_cast<double>(most_gpu_debt.count()));
    now = after;
  }
}

}  // namespace takt
