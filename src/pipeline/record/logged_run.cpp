#include "pipeline/record/logged_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

using Order = std::vector<std::size_t>;

/// A batch that was in all stages.
struct WholeBatch {
  std::int64_t number = 0;  ///< as logged
  const PipelineLog::Visits* visits = nullptr;
  const LoggedVisit& in(std::size_t stage) const { return *(*visits)[stage]; }
};

std::vector<WholeBatch> whole_batches(const PipelineLog& log) {
  std::vector<WholeBatch> whole;
  for (const auto& [number, visits] : log.batches)
    if (is_whole(visits, log.stages.size())) whole.push_back({number, &visits});
  if (!whole.empty()) return whole;
  std::vector<std::string> names;
  for (const auto& stage : log.stages) names.push_back("'" + printable(stage.name) + "'");
  throw Error(
      ErrorKind::bad_input,
      fmt::format("pipeline '{}': none of the {} batches was logged in all stages ({}); log every batch in every stage",
                  printable(log.name), log.batches.size(), fmt::join(names, ", ")));
}

/// The stages as the first whole batch went through them; those that took it no time stand as they were named.
Order order_of_stages(const WholeBatch& batch, std::size_t stages) {
  Order order(stages);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(batch.in(a).begin, batch.in(a).done) < std::pair(batch.in(b).begin, batch.in(b).done);
  });
  return order;
}

void check_order(const PipelineLog& log, const std::vector<WholeBatch>& batches, const Order& order) {
  for (const auto& batch : batches)
    for (std::size_t s = 1; s < order.size(); ++s)
      if (batch.in(order[s]).came() < batch.in(order[s - 1]).left())
        throw Error(ErrorKind::bad_input,
                    fmt::format("pipeline '{}': batch {} was in stage '{}' before '{}' had completed it; every batch "
                                "passes the stages one after the other, in the same order",
                                printable(log.name), batch.number, printable(log.stages[order[s]].name),
                                printable(log.stages[order[s - 1]].name)));
}

/// Spans as a number of workers that never do two at once: the one that has been idle longest takes the next.
class Workers {
 public:
  /// Spans must come by `from`. Returns the worker, made by `make` where none is idle.
  int take(Nanoseconds from, Nanoseconds until, const std::function<int()>& make) {
    const bool idle = !busy_.empty() && busy_.top().first <= from;
    const int worker = idle ? busy_.top().second : make();
    if (idle) busy_.pop();
    busy_.emplace(until, worker);
    return worker;
  }

 private:
  using Busy = std::pair<Nanoseconds, int>;  ///< until when, who
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy_;
};

/// The most spans that were open at one time; 1 at least.
int most_at_once(std::vector<std::pair<Nanoseconds, Nanoseconds>> spans) {
  std::sort(spans.begin(), spans.end());
  std::priority_queue<Nanoseconds, std::vector<Nanoseconds>, std::greater<>> open;
  std::size_t most = 1;
  for (const auto& [from, until] : spans) {
    while (!open.empty() && open.top() <= from) open.pop();
    open.push(until);
    most = std::max(most, open.size());
  }
  return static_cast<int>(most);
}

class LoggedRun {
 public:
  explicit LoggedRun(const PipelineLog& log)
      : log_(log), batches_(whole_batches(log)), order_(order_of_stages(batches_.front(), log.stages.size())) {
    check_order(log, batches_, order_);
    base_ = first(batches_.front()).came();
    for (const auto& batch : batches_) base_ = std::min(base_, first(batch).came());
  }

  PipelineRun make() {
    run_.name = log_.name;
    run_.base_time = log_.wall_minus_steady + base_;
    run_.schedule.visits.resize(batches_.size() * order_.size());
    for (std::size_t s = 0; s < order_.size(); ++s) add_stage(s);
    add_source();
    std::stable_sort(executions_.begin(), executions_.end(),
                     [](const auto& a, const auto& b) { return a.first.start < b.first.start; });
    for (auto& [record, counters] : executions_) {
      run_.schedule.executions.push_back(record);
      run_.counters.push_back(counters);
      run_.schedule.end = std::max(run_.schedule.end, record.end);
    }
    std::stable_sort(run_.copies.begin(), run_.copies.end(), [](auto& a, auto& b) { return a.start < b.start; });
    for (const CopySpan& copy : run_.copies) run_.schedule.end = std::max(run_.schedule.end, copy.end);
    run_.shape.devices.resize(run_.devices.size());
    return std::move(run_);
  }

 private:
  const LoggedVisit& first(const WholeBatch& batch) const { return batch.in(order_.front()); }
  const LoggedVisit& last(const WholeBatch& batch) const { return batch.in(order_.back()); }

  /// What the source did is what was seen: so many batches were inside at once, and one more only came when one left.
  void add_source() {
    std::vector<std::pair<Nanoseconds, Nanoseconds>> inside;
    for (const auto& batch : batches_) {
      const auto arrived = first(batch).came() - base_, delivered = last(batch).left() - base_;
      run_.schedule.batches.push_back({arrived, arrived, delivered});
      inside.emplace_back(arrived, delivered);
    }
    run_.shape.source.batches = static_cast<std::int64_t>(batches_.size());
    run_.shape.source.in_flight = most_at_once(std::move(inside));
  }

  void add_stage(std::size_t s) {
    run_.stages.emplace_back().name = log_.stages[order_[s]].name;
    auto& shape = run_.shape.stages.emplace_back();
    shape.ordered = false;
    Order by_start(batches_.size());
    std::iota(by_start.begin(), by_start.end(), std::size_t{0});
    std::stable_sort(by_start.begin(), by_start.end(), [&](std::size_t a, std::size_t b) {
      return batches_[a].in(order_[s]).came() < batches_[b].in(order_[s]).came();
    });
    std::map<std::vector<int>, Workers> replicas;
    std::vector<std::pair<Nanoseconds, Nanoseconds>> waiting;
    for (const std::size_t b : by_start) {
      const LoggedVisit& visit = batches_[b].in(order_[s]);
      const auto devices = devices_of(visit);
      const int replica = replicas[devices].take(visit.came(), visit.left(), [&] {
        shape.replicas.push_back(devices);
        return static_cast<int>(shape.replicas.size()) - 1;
      });
      const auto entered = s == 0 ? visit.came() : batches_[b].in(order_[s - 1]).left();
      waiting.emplace_back(entered, visit.begin);
      add_visit(b, s, replica, entered - base_, visit);
    }
    shape.queue = most_at_once(std::move(waiting));
  }

  void add_visit(std::size_t b, std::size_t s, int replica, Nanoseconds entered, const LoggedVisit& visit) {
    const auto batch = static_cast<std::int64_t>(b);
    const int stage = static_cast<int>(s);
    const auto begin = visit.begin - base_, dispatched = visit.dispatched - base_, done = visit.done - base_;
    const bool split = visit.parts.size() > 1;
    if (split) add({{batch, stage, replica, 0, Execution::host, FlowPhase::partition}, entered, begin, dispatched}, {});
    Nanoseconds joined = split ? dispatched : done;
    const auto devices = devices_of(visit);
    for (std::size_t p = 0; p < visit.parts.size(); ++p) {
      const LoggedPart& part = visit.parts[p];
      const auto end = part.completed - base_;
      add({{batch, stage, replica, static_cast<int>(p), devices[p], FlowPhase::run},
           split ? dispatched : entered,
           part.submitted - base_,
           end},
          part.counters);
      joined = std::max(joined, end);
    }
    if (split)
      add({{batch, stage, replica, 0, Execution::host, FlowPhase::merge}, joined, visit.merged - base_, done}, {});
    run_.schedule.visits[b * order_.size() + s] = {
        batch, stage, replica, entered, begin, dispatched, joined, done, visit.left() - base_};
    const Execution what{batch, stage, replica, 0, devices.front(), FlowPhase::run};
    add_copy(what, visit.inputs_copied, false);
    add_copy(what, visit.outputs_copied, true);
  }

  void add_copy(const Execution& what, const TensorCopy& copy, bool of_outputs) {
    if (copy.bytes == 0) return;
    run_.copies.push_back({what.batch, what.stage, what.replica, what.part, what.device, of_outputs, copy.begin - base_,
                           copy.end - base_, copy.bytes});
  }

  void add(const ExecutionRecord& record, const ExecutionCounters& counters) {
    executions_.emplace_back(record, counters);
  }

  /// Numbers in the run: a device that only unfinished batches used is not in it.
  std::vector<int> devices_of(const LoggedVisit& visit) {
    std::vector<int> numbers;
    for (const auto& part : visit.parts) {
      const auto [found, is_new] = devices_.try_emplace(part.device, static_cast<int>(run_.devices.size()));
      if (is_new) run_.devices.push_back({log_.devices[part.device], ""});
      numbers.push_back(found->second);
    }
    return numbers;
  }

  const PipelineLog& log_;
  const std::vector<WholeBatch> batches_;
  const Order order_;
  Nanoseconds base_{};
  PipelineRun run_;
  std::map<std::size_t, int> devices_;
  std::vector<std::pair<ExecutionRecord, ExecutionCounters>> executions_;
};

}  // namespace

std::size_t PipelineLog::stage(std::string_view wanted) const {
  const auto found =
      std::find_if(stages.begin(), stages.end(), [&](const LoggedStage& stage) { return stage.name == wanted; });
  return static_cast<std::size_t>(found - stages.begin());
}

std::size_t PipelineLog::device(std::string_view wanted) {
  const auto number = static_cast<std::size_t>(std::find(devices.begin(), devices.end(), wanted) - devices.begin());
  if (number == devices.size()) devices.emplace_back(wanted);
  return number;
}

bool is_whole(const PipelineLog::Visits& visits, std::size_t stages) {
  return visits.size() == stages &&
         std::all_of(visits.begin(), visits.end(), [](const auto& v) { return v.has_value(); });
}

PipelineRun run_of(const PipelineLog& log) { return LoggedRun(log).make(); }

}  // namespace takt
