#include "flow/oracle.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace takt {
namespace {

enum class Place { source, queue, inside, delivered };

struct Work {
  Execution what;
  std::int64_t ready = 0, begun = -1, ended = -1;  // -1: not yet
  double remaining = 0, speed = 1;
};

struct Batch {
  Place place = Place::source;
  int stage = 0, replica = -1;
  std::int64_t came = 0, order = 0;
  std::vector<Work> work;  // in its present stage
  bool merged = false;
  BatchRecord record{};
  std::vector<VisitRecord> visits;
};

class Oracle {
 public:
  explicit Oracle(const OracleInput& input) : input_(input), shape_(input.shape) {
    const std::size_t count = shape_.source.open ? input.arrivals.size() : std::size_t(*shape_.source.batches);
    batches_.resize(shape_.source.batches ? std::min<std::size_t>(count, *shape_.source.batches) : count);
    for (std::size_t b = 0; b < batches_.size(); ++b) {
      if (shape_.source.open) batches_[b].came = input.arrivals[b].count();
      batches_[b].visits.resize(shape_.stages.size());
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
  template <typename Do>
  void each_running(Do&& act) {
    for (auto& batch : batches_) {
      if (batch.place != Place::inside) continue;
      for (auto& work : batch.work) {
        if (work.begun >= 0 && work.ended < 0) act(batch, work);
      }
    }
  }

  std::int64_t end_of(const Work& work) const {
    return now_ + static_cast<std::int64_t>(std::floor(work.remaining / work.speed + 0.5));
  }

  bool something_ends_now() {
    bool any = false;
    each_running([&](Batch&, Work& work) { any = any || end_of(work) <= now_; });
    return any;
  }

  bool advance() {
    std::int64_t next = INT64_MAX;
    for (const auto& batch : batches_) {
      if (batch.came > now_) next = std::min(next, batch.came);
    }
    each_running([&](Batch&, Work& work) { next = std::min(next, end_of(work)); });
    if (next == INT64_MAX) return false;
    each_running([&](Batch&, Work& work) { work.remaining -= work.speed * static_cast<double>(next - now_); });
    now_ = next;
    return true;
  }

  // When all has moved, so that what runs is known.
  void set_speeds() {
    each_running([&](Batch&, Work& work) {
      if (!input_.slowdown || work.what.device == Execution::host) return;
      std::vector<Execution> others;
      each_running([&](Batch&, Work& other) {
        if (&other != &work && other.what.device != Execution::host) others.push_back(other.what);
      });
      work.speed = 1 / input_.slowdown(work.what, others);
    });
  }

  void end_executions() {
    each_running([&](Batch&, Work& work) {
      if (end_of(work) <= now_) work.ended = now_;
    });
    for (auto& batch : batches_) {
      if (batch.place == Place::inside) next_phase(batch);
    }
  }

  void next_phase(Batch& batch) {
    if (!std::all_of(batch.work.begin(), batch.work.end(), [](auto& w) { return w.ended >= 0; })) return;
    const auto& stage = shape_.stages[batch.stage];
    auto& visit = batch.visits[batch.stage];
    const auto phase = batch.work.back().what.phase;
    if (phase == FlowPhase::partition) {
      visit.dispatched = Nanoseconds(now_);
      for (int p = 0; p < stage.parts(); ++p) {
        Work part{{int64_t(&batch - batches_.data()), batch.stage, batch.replica, p, stage.replicas[batch.replica][p],
                   FlowPhase::run}};
        part.ready = now_;
        batch.work.push_back(part);
      }
    } else if (phase == FlowPhase::run && stage.split()) {
      visit.joined = Nanoseconds(now_);
      pending_merges_.push_back(&batch);
    } else if (!batch.merged) {
      batch.merged = true;
      if (!stage.split()) visit.joined = Nanoseconds(now_);
      visit.done = Nanoseconds(now_);
    }
  }

  void begin(Batch& batch, Work work) {
    work.begun = now_;
    work.remaining = static_cast<double>(input_.service(work.what));
    batch.work.push_back(work);
  }

  std::int64_t queued(int stage) const {
    return std::count_if(batches_.begin(), batches_.end(),
                         [&](auto& b) { return b.place == Place::queue && b.stage == stage; });
  }
  std::int64_t inside_pipeline() const {
    return std::count_if(batches_.begin(), batches_.end(),
                         [](auto& b) { return b.place == Place::queue || b.place == Place::inside; });
  }
  std::int64_t running_on(int device) {
    std::int64_t count = 0;
    each_running([&](Batch&, Work& work) { count += work.what.device == device; });
    return count;
  }
  bool has_request(int device) {
    const auto& requests = shape_.devices[device].requests;
    return !requests || running_on(device) < *requests;
  }

  void move_until_still() {
    for (Batch* batch : pending_merges_) {
      Work merge{{batch - batches_.data(), batch->stage, batch->replica, 0, Execution::host, FlowPhase::merge}};
      merge.ready = now_;
      begin(*batch, merge);
    }
    pending_merges_.clear();
    while (leave_one() || admit_one() || start_one()) {
    }
  }

  bool leave_one() {
    for (int s = static_cast<int>(shape_.stages.size()) - 1; s >= 0; --s) {
      for (auto& batch : batches_) {
        if (batch.place != Place::inside || batch.stage != s || !batch.merged) continue;
        const bool overtakes = std::any_of(batches_.begin(), batches_.end(), [&](auto& other) {
          return other.place == Place::inside && other.stage == s && other.order < batch.order;
        });
        if (shape_.stages[s].ordered && overtakes) continue;
        const bool last = s + 1 == static_cast<int>(shape_.stages.size());
        if (!last && queued(s + 1) >= shape_.stages[s + 1].queue) continue;
        move_out(batch, last);
        return true;
      }
    }
    return false;
  }

  void move_out(Batch& batch, bool last) {
    for (auto& work : batch.work) {
      executions_.push_back({work.what, Nanoseconds(work.ready), Nanoseconds(work.begun), Nanoseconds(work.ended)});
    }
    batch.work.clear();
    batch.merged = false;
    batch.visits[batch.stage].left = Nanoseconds(now_);
    if (last) {
      batch.place = Place::delivered;
      batch.record.delivered = Nanoseconds(now_);
      return;
    }
    batch.place = Place::queue;
    batch.visits[++batch.stage].entered = Nanoseconds(now_);
  }

  bool admit_one() {
    if (queued(0) >= shape_.stages[0].queue) return false;
    if (shape_.source.in_flight && inside_pipeline() >= *shape_.source.in_flight) return false;
    for (auto& batch : batches_) {
      if (batch.place != Place::source) continue;
      if (batch.came > now_) return false;
      batch.place = Place::queue;
      batch.visits[0].entered = Nanoseconds(now_);
      batch.record = {Nanoseconds(shape_.source.open ? batch.came : now_), Nanoseconds(now_), {}};
      return true;
    }
    return false;
  }

  std::optional<int> free_replica(int s) {
    const auto& stage = shape_.stages[s];
    for (int r = 0; r < static_cast<int>(stage.replicas.size()); ++r) {
      const bool taken = std::any_of(batches_.begin(), batches_.end(), [&](auto& b) {
        return b.place == Place::inside && b.stage == s && b.replica == r;
      });
      if (!taken && (stage.split() || has_request(stage.replicas[r][0]))) return r;
    }
    return std::nullopt;
  }

  // Batches are looked at by number, so the first that can start something is the one that may.
  bool start_one() {
    for (auto& batch : batches_) {
      if (batch.place == Place::inside) {
        for (auto& work : batch.work) {
          if (work.begun >= 0 || !has_request(work.what.device)) continue;
          work.begun = now_;
          work.remaining = static_cast<double>(input_.service(work.what));
          return true;
        }
      }
      if (batch.place != Place::queue || !first_of_queue(batch)) continue;
      if (const auto replica = free_replica(batch.stage)) {
        start(batch, *replica);
        return true;
      }
    }
    return false;
  }

  bool first_of_queue(const Batch& batch) const {
    return std::none_of(batches_.data(), &batch,
                        [&](auto& b) { return b.place == Place::queue && b.stage == batch.stage; });
  }

  void start(Batch& batch, int replica) {
    const auto& stage = shape_.stages[batch.stage];
    batch.place = Place::inside;
    batch.replica = replica;
    batch.order = ++starts_;
    auto& visit = batch.visits[batch.stage];
    visit.batch = &batch - batches_.data();
    visit.stage = batch.stage;
    visit.replica = replica;
    visit.started = Nanoseconds(now_);
    if (!stage.split()) visit.dispatched = Nanoseconds(now_);
    Work work{{visit.batch, batch.stage, replica, 0, stage.split() ? Execution::host : stage.replicas[replica][0],
               stage.split() ? FlowPhase::partition : FlowPhase::run}};
    work.ready = visit.entered.count();
    begin(batch, work);
  }

  Schedule result() {
    Schedule schedule;
    if (!batches_.empty() && shape_.source.open) schedule.begin = Nanoseconds(batches_.front().came);
    schedule.end = schedule.begin;
    for (const auto& batch : batches_) {
      schedule.batches.push_back(batch.record);
      schedule.visits.insert(schedule.visits.end(), batch.visits.begin(), batch.visits.end());
      schedule.end = std::max(schedule.end, batch.record.delivered);
    }
    schedule.executions = executions_;
    return schedule;
  }

  const OracleInput& input_;
  const FlowShape& shape_;
  std::vector<Batch> batches_;
  std::vector<Batch*> pending_merges_;
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
