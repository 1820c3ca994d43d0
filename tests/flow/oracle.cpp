#include "flow/oracle.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

namespace takt {
namespace {

enum class Place { before, queue, inside, left };

struct Work {
  Execution what;
  std::int64_t ready = 0, begun = -1, ended = -1;  // -1: not yet
  double remaining = 0, speed = 1;
};

/// One batch in one stage.
struct Stay {
  Place place = Place::before;
  int replica = -1;
  std::int64_t order = 0;
  std::vector<Work> work;
  bool merged = false;
  VisitRecord record{};
};

struct Batch {
  bool admitted = false, delivered = false;
  std::int64_t came = 0;
  std::vector<Stay> stays;
  BatchRecord record{};
};

class Oracle {
 public:
  explicit Oracle(const OracleInput& input) : input_(input), shape_(input.shape) {
    const std::size_t count = shape_.source.open ? input.arrivals.size() : std::size_t(*shape_.source.batches);
    batches_.resize(shape_.source.batches ? std::min<std::size_t>(count, *shape_.source.batches) : count);
    for (std::size_t b = 0; b < batches_.size(); ++b) {
      if (shape_.source.open) batches_[b].came = input.arrivals[b].count();
      batches_[b].stays.resize(shape_.stages.size());
    }
    for (int s = 0; s < stages(); ++s) {
      auto& from = needs_.emplace_back(shape_.stages[s].after);
      if (from.empty()) from.push_back(s - 1);  // in front of stage 0 that is the source
    }
  }

  Schedule run() {
    for (;;) {
      do {
        end_executions();
        move_until_still();
        set_speeds();
      } while (something_ends_now());
      if (!advance()) return result();
    }
  }

 private:
  int stages() const { return static_cast<int>(shape_.stages.size()); }
  std::int64_t number(const Batch& batch) const { return &batch - batches_.data(); }
  template <typename Do>
  void each_inside(Do&& act) {
    for (auto& batch : batches_)
      for (int s = 0; s < stages(); ++s)
        if (batch.stays[s].place == Place::inside) act(batch, s, batch.stays[s]);
  }

  template <typename Do>
  void each_running(Do&& act) {
    each_inside([&](Batch&, int, Stay& stay) {
      for (auto& work : stay.work)
        if (work.begun >= 0 && work.ended < 0) act(work);
    });
  }

  std::int64_t end_of(const Work& work) const {
    return now_ + static_cast<std::int64_t>(std::floor(work.remaining / work.speed + 0.5));
  }

  bool something_ends_now() {
    bool any = false;
    each_running([&](Work& work) { any = any || end_of(work) <= now_; });
    return any;
  }

  bool advance() {
    std::int64_t next = INT64_MAX;
    for (const auto& batch : batches_) {
      if (batch.came > now_) next = std::min(next, batch.came);
    }
    each_running([&](Work& work) { next = std::min(next, end_of(work)); });
    if (next == INT64_MAX) return false;
    each_running([&](Work& work) { work.remaining -= work.speed * static_cast<double>(next - now_); });
    now_ = next;
    return true;
  }

  // When all has moved, so that what runs is known.
  void set_speeds() {
    each_running([&](Work& work) {
      if (!input_.slowdown || work.what.device == Execution::host) return;
      std::vector<Execution> others;
      each_running([&](Work& other) {
        if (&other != &work && other.what.device != Execution::host) others.push_back(other.what);
      });
      work.speed = 1 / input_.slowdown(work.what, others);
    });
  }

  void end_executions() {
    each_running([&](Work& work) {
      if (end_of(work) <= now_) work.ended = now_;
    });
    each_inside([&](Batch& batch, int s, Stay& stay) { next_phase(batch, s, stay); });
  }

  void next_phase(Batch& batch, int s, Stay& stay) {
    if (!std::all_of(stay.work.begin(), stay.work.end(), [](auto& w) { return w.ended >= 0; })) return;
    const auto& stage = shape_.stages[s];
    const auto phase = stay.work.back().what.phase;
    if (phase == FlowPhase::partition) {
      stay.record.dispatched = Nanoseconds(now_);
      for (int p = 0; p < stage.parts(); ++p) {
        Work part{{number(batch), s, stay.replica, p, stage.replicas[stay.replica][p], FlowPhase::run}};
        part.ready = now_;
        stay.work.push_back(part);
      }
    } else if (phase == FlowPhase::run && stage.split()) {
      stay.record.joined = Nanoseconds(now_);
      pending_merges_.emplace_back(&batch, s);
    } else if (!stay.merged) {
      stay.merged = true;
      if (!stage.split()) stay.record.joined = Nanoseconds(now_);
      stay.record.done = Nanoseconds(now_);
    }
  }

  void begin(Stay& stay, Work work) {
    work.begun = now_;
    work.remaining = static_cast<double>(input_.service(work.what));
    stay.work.push_back(work);
  }

  /// Batches that came to stage `s` from `from` and have not started there.
  std::int64_t queued(int from, int s) const {
    return std::count_if(batches_.begin(), batches_.end(), [&](auto& b) {
      const bool came = from < 0 ? b.admitted : b.stays[from].place == Place::left;
      return came && (b.stays[s].place == Place::before || b.stays[s].place == Place::queue);
    });
  }
  std::int64_t inside_pipeline() const {
    return std::count_if(batches_.begin(), batches_.end(), [](auto& b) { return b.admitted && !b.delivered; });
  }
  std::int64_t running_on(int device) {
    std::int64_t count = 0;
    each_running([&](Work& work) { count += work.what.device == device; });
    return count;
  }
  bool has_request(int device) {
    const auto& requests = shape_.devices[device].requests;
    return !requests || running_on(device) < *requests;
  }

  void move_until_still() {
    for (const auto& [batch, s] : pending_merges_) {
      Stay& stay = batch->stays[s];
      Work merge{{number(*batch), s, stay.replica, 0, Execution::host, FlowPhase::merge}};
      merge.ready = now_;
      begin(stay, merge);
    }
    pending_merges_.clear();
    while (leave_one() || admit_one() || start_one()) {
    }
  }

  bool needs(int s, int from) const { return std::count(needs_[s].begin(), needs_[s].end(), from) > 0; }

  bool leave_one() {
    for (int s = stages() - 1; s >= 0; --s) {
      for (auto& batch : batches_) {
        if (batch.stays[s].place != Place::inside || !batch.stays[s].merged) continue;
        const bool overtakes = std::any_of(batches_.begin(), batches_.end(), [&](auto& other) {
          return other.stays[s].place == Place::inside && other.stays[s].order < batch.stays[s].order;
        });
        if (shape_.stages[s].ordered && overtakes) continue;
        bool room = true;
        for (int to = 0; to < stages(); ++to)
          if (needs(to, s) && queued(s, to) >= shape_.stages[to].queue) room = false;
        if (!room) continue;
        move_out(batch, s);
        return true;
      }
    }
    return false;
  }

  void move_out(Batch& batch, int s) {
    Stay& stay = batch.stays[s];
    for (auto& work : stay.work) {
      executions_.push_back({work.what, Nanoseconds(work.ready), Nanoseconds(work.begun), Nanoseconds(work.ended)});
    }
    stay.work.clear();
    stay.merged = false;
    stay.place = Place::left;
    stay.record.left = Nanoseconds(now_);
    for (int to = 0; to < stages(); ++to) enter_if_complete(batch, to);
    batch.delivered =
        std::all_of(batch.stays.begin(), batch.stays.end(), [](auto& v) { return v.place == Place::left; });
    if (batch.delivered) batch.record.delivered = Nanoseconds(now_);
  }

  void enter_if_complete(Batch& batch, int s) {
    Stay& stay = batch.stays[s];
    if (stay.place != Place::before) return;
    for (const int from : needs_[s])
      if (from < 0 ? !batch.admitted : batch.stays[from].place != Place::left) return;
    stay.place = Place::queue;
    stay.record.entered = Nanoseconds(now_);
  }

  bool admit_one() {
    for (int s = 0; s < stages(); ++s)
      if (needs(s, -1) && queued(-1, s) >= shape_.stages[s].queue) return false;
    if (shape_.source.in_flight && inside_pipeline() >= *shape_.source.in_flight) return false;
    for (auto& batch : batches_) {
      if (batch.admitted) continue;
      if (batch.came > now_) return false;
      batch.admitted = true;
      for (int s = 0; s < stages(); ++s) enter_if_complete(batch, s);
      batch.record = {Nanoseconds(shape_.source.open ? batch.came : now_), Nanoseconds(now_), {}};
      return true;
    }
    return false;
  }

  std::optional<int> free_replica(int s) {
    const auto& stage = shape_.stages[s];
    for (int r = 0; r < static_cast<int>(stage.replicas.size()); ++r) {
      const bool taken = std::any_of(batches_.begin(), batches_.end(), [&](auto& b) {
        return b.stays[s].place == Place::inside && b.stays[s].replica == r;
      });
      if (!taken && (stage.split() || has_request(stage.replicas[r][0]))) return r;
    }
    return std::nullopt;
  }

  // Batches are looked at by number, so the first that can start something is the one that may.
  bool start_one() {
    for (auto& batch : batches_)
      if (start_whole(batch) || start_part(batch)) return true;
    return false;
  }

  bool start_whole(Batch& batch) {
    for (int s = 0; s < stages(); ++s) {
      if (batch.stays[s].place != Place::queue || !first_of_queue(batch, s)) continue;
      const auto replica = free_replica(s);
      if (!replica) continue;
      start(batch, s, *replica);
      return true;
    }
    return false;
  }

  bool start_part(Batch& batch) {
    for (auto& stay : batch.stays) {
      if (stay.place != Place::inside) continue;
      for (auto& work : stay.work) {
        if (work.begun >= 0 || !has_request(work.what.device)) continue;
        work.begun = now_;
        work.remaining = static_cast<double>(input_.service(work.what));
        return true;
      }
    }
    return false;
  }

  bool first_of_queue(const Batch& batch, int s) const {
    return std::none_of(batches_.data(), &batch, [&](auto& b) { return b.stays[s].place == Place::queue; });
  }

  void start(Batch& batch, int s, int replica) {
    const auto& stage = shape_.stages[s];
    Stay& stay = batch.stays[s];
    stay.place = Place::inside;
    stay.replica = replica;
    stay.order = ++starts_;
    stay.record.replica = replica;
    stay.record.started = Nanoseconds(now_);
    if (!stage.split()) stay.record.dispatched = Nanoseconds(now_);
    Work work{{number(batch), s, replica, 0, stage.split() ? Execution::host : stage.replicas[replica][0],
               stage.split() ? FlowPhase::partition : FlowPhase::run}};
    work.ready = stay.record.entered.count();
    begin(stay, work);
  }

  Schedule result() {
    Schedule schedule;
    if (!batches_.empty() && shape_.source.open) schedule.begin = Nanoseconds(batches_.front().came);
    schedule.end = schedule.begin;
    for (const auto& batch : batches_) {
      schedule.batches.push_back(batch.record);
      for (int s = 0; s < stages(); ++s) {
        auto& visit = schedule.visits.emplace_back(batch.stays[s].record);
        visit.batch = number(batch);
        visit.stage = s;
      }
      schedule.end = std::max(schedule.end, batch.record.delivered);
    }
    schedule.executions = executions_;
    return schedule;
  }

  const OracleInput& input_;
  const FlowShape& shape_;
  std::vector<Batch> batches_;
  std::vector<std::vector<int>> needs_;  // by stage; -1: the source
  std::vector<std::pair<Batch*, int>> pending_merges_;
  std::vector<ExecutionRecord> executions_;
  std::int64_t now_ = 0, starts_ = 0;
};

}  // namespace

Schedule oracle(const OracleInput& input) {
  auto schedule = Oracle(input).run();
  std::sort(schedule.executions.begin(), schedule.executions.end(), [](const auto& a, const auto& b) {
    return std::tie(a.what.batch, a.what.stage, a.what.phase, a.what.part) <
           std::tie(b.what.batch, b.what.stage, b.what.phase, b.what.part);
  });
  return schedule;
}

}  // namespace takt
