#include "measure/timing/closed_loop.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>

#include "base/basics/error.h"

namespace takt {
namespace {

constexpr auto between_looks = std::chrono::milliseconds(100);
constexpr std::int64_t not_yet = -1;

/// Splits completions into warm-up and what counts.
LoopRecord record_of(std::vector<Completion> all, Nanoseconds began, const LoopLimit& limit) {
  LoopRecord record;
  record.began = began;
  std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.completed < b.completed; });
  for (const auto& one : all)
    if (one.completed <= began)
      record.warmup.push_back(one.completed - one.started);
    else if (!limit.most || record.counted.size() < *limit.most)  // those that were under way at the end came later
      record.counted.push_back(one);
  return record;
}

bool is_enough(const LoopLimit& limit, std::size_t counted, Nanoseconds spent) {
  if (limit.most && counted >= *limit.most) return true;
  return limit.time && spent >= *limit.time && counted >= limit.fewest;
}

/// The loop in flight. A slot's fields are touched by one thread at a time: that which completed its last request.
class Loop {
 public:
  Loop(const std::vector<std::unique_ptr<Request>>& requests, bool copy_outputs, const LoopLimit& limit,
       const LoopFeed& feed)
      : copy_outputs_(copy_outputs),
        starts_itself_(requests.front()->completes_on_own_thread()),
        limit_(limit),
        feed_(feed),
        cold_(requests.size()),
        in_flight_(requests.size()) {
    for (const auto& request : requests) slots_.push_back({request.get(), {}, {}});
  }

  LoopRecord run(const LoopWatch& watch) {
    launched_ = steady_now();
    if (limit_.warmup == 0 && limit_.warmup_time.count() == 0) begin(launched_);
    for (auto& slot : slots_) start(slot);
    serve(watch);
    if (!failure_.empty()) fail_as_told();
    std::vector<Completion> all;
    for (auto& slot : slots_) all.insert(all.end(), slot.done.begin(), slot.done.end());
    const auto began = began_.load();
    return record_of(std::move(all), began == not_yet ? steady_now() : Nanoseconds(began), limit_);
  }

 private:
  struct Slot {
    Request* request;
    Nanoseconds started;
    std::vector<Completion> done;
    bool cold = true;
  };

  /// A request says of which model and runtime its failure is.
  [[noreturn]] void fail_as_told() {
    for (auto& slot : slots_) slot.request->wait();
    throw Error(ErrorKind::runtime, failure_);
  }

  void start(Slot& slot) {
    try {
      if (feed_) feed_(*slot.request, turn_++);
      slot.started = steady_now();
      slot.request->start_async([this, &slot](Nanoseconds at, const std::optional<std::string>& error) {
        error ? fail(*error) : complete(slot, at);
      });
    } catch (const std::exception& error) {
      fail(error.what());
    }
  }

  void complete(Slot& slot, Nanoseconds at) {
    if (copy_outputs_) {
      try {
        slot.request->outputs();
      } catch (const std::exception& error) {
        return fail(error.what());
      }
      at = steady_now();
    }
    slot.done.push_back({slot.started, at});
    if (is_over(slot, at)) return land();
    if (starts_itself_) return start(slot);
    const std::lock_guard lock(mutex_);
    idle_.push_back(&slot);
    changed_.notify_all();
  }

  /// Starts what was handed back, until nothing is in flight.
  void serve(const LoopWatch& watch) {
    Nanoseconds looked = launched_;
    std::vector<Slot*> idle;
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, between_looks, [this] { return in_flight_ == 0 || !idle_.empty(); });
        if (in_flight_ == 0) return;
        idle.swap(idle_);
      }
      for (Slot* slot : idle) over_ ? land() : start(*slot);
      idle.clear();
      if (const Nanoseconds now = steady_now(); now - looked >= between_looks) looked = now, look(watch);
    }
  }

  void look(const LoopWatch& watch) {
    const auto began = began_.load();
    const Nanoseconds spent = began == not_yet ? Nanoseconds(0) : steady_now() - Nanoseconds(began);
    if (watch && !watch(counted_, spent)) over_ = is_stopped_ = true;
  }

  bool is_over(Slot& slot, Nanoseconds at) {
    if (over_) return true;
    const auto began = began_.load();
    if (began == not_yet) {
      warm(slot, at);
      return false;
    }
    if (at > Nanoseconds(began) && is_enough(limit_, ++counted_, at - Nanoseconds(began))) over_ = true;
    return over_;
  }

  void warm(Slot& slot, Nanoseconds at) {
    if (!slot.cold || slot.done.size() < limit_.warmup || at - launched_ < limit_.warmup_time) return;
    slot.cold = false;
    // Not always the last to report: it may have read the clock before others did and been interrupted since.
    for (auto latest = warm_.load(); latest < at.count() && !warm_.compare_exchange_weak(latest, at.count());) {
    }
    if (--cold_ == 0) begin(Nanoseconds(warm_.load()));
  }

  void begin(Nanoseconds at) { began_ = at.count(); }

  /// What fails after the user's wish to end was cancelled.
  void fail(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (failure_.empty() && !is_stopped_) failure_ = why;
    over_ = true;
    if (--in_flight_ == 0) changed_.notify_all();
  }

  // Under the lock to its end: the loop may be gone as soon as its owner sees that nothing is in flight.
  void land() {
    const std::lock_guard lock(mutex_);
    if (--in_flight_ == 0) changed_.notify_all();
  }

  const bool copy_outputs_, starts_itself_;
  const LoopLimit& limit_;
  const LoopFeed& feed_;
  Nanoseconds launched_{};
  std::vector<Slot> slots_;
  std::atomic<bool> over_{false}, is_stopped_{false};
  std::atomic<std::int64_t> began_{not_yet};  ///< steady clock
  std::atomic<std::int64_t> warm_{not_yet};   ///< the latest completion that made a request warm, steady clock
  std::atomic<std::size_t> counted_{0}, turn_{0}, cold_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t in_flight_;
  std::vector<Slot*> idle_;  ///< handed back
  std::string failure_;
};

}  // namespace

double LoopRecord::per_second() const {
  const Duration spent = window();
  return spent.count() > 0 ? static_cast<double>(counted.size()) / (spent.count() / 1e6) : 0;
}

LoopRecord run_closed_loop(const std::vector<std::unique_ptr<Request>>& requests, bool copy_outputs,
                           const LoopLimit& limit, const LoopWatch& watch, const LoopFeed& feed) {
  LoopRecord record = Loop(requests, copy_outputs, limit, feed).run(watch);
  // A callback may still be on its way out of the request.
  for (const auto& request : requests) try {
      request->wait();
    } catch (const Error&) {  // it has told of its failure, or was cancelled
    }
  return record;
}

LoopRecord run_virtual_loop(Session& session, int requests, const LoopLimit& limit, const LoopWatch& watch) {
  std::vector<Nanoseconds> started(static_cast<std::size_t>(requests));
  std::vector<Completion> all;
  const std::size_t warm = limit.warmup * started.size();
  Nanoseconds now{}, began{};
  for (std::size_t counted = 0; !is_enough(limit, counted, now - began);) {
    auto& since = started[all.size() % started.size()];
    now += session.run();
    all.push_back({since, now});
    since = now;
    if (all.size() > warm)
      ++counted;
    else
      began = now;
    if (watch && !watch(counted, now - began)) break;
  }
  return record_of(std::move(all), began, limit);
}

}  // namespace takt
