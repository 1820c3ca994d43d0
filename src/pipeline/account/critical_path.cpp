// The walk starts at the last delivery and goes back in time: at each point it asks what had to happen before, takes
// the condition that was fulfilled last (it was the binding one), and goes on from there, until the run begins.
//  * A batch leaves a stage when it is done there; when the queue behind, or each of several, has room: entry number k
//    needs that start number k − queue was made; in an ordered stage when the one that started before it has left.
//  * An execution starts when its batch is in the queue, its replica has let the batch before go, and its device has a
//    request: start number k on the device needs end number k − requests. Parts need the partition, the merge all
//    parts.
//  * A batch is admitted when it has arrived, the first queue has room, and delivery number k − in_flight was made.
// These are the max-plus equations of a pipeline with blocking, and the walk is their argmax. What passes between the
// binding condition and its effect is a copy, as far as the batch's tensors were copied then, else dispatch: zero on
// the virtual clock, the engine's own time in a measured run. Of conditions fulfilled at the same instant the data of
// the batch itself is preferred.
//
// Where a program reported its run itself, its source is not known: a batch that came later than all that it needed was
// there ends the walk, and what is before that is the source's.
//
// Executions that take no time can make several conditions of one instant wait for each other; no point is visited
// twice in one instant, and where a way through it ends another one is tried, so the walk ends whatever a trace says.
#include "pipeline/account/critical_path.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_set>

#include "base/basics/index.h"
#include "pipeline/account/path_index.h"

namespace takt {
namespace {

/// left, entered: of a visit; started, finished: of an execution; begun: the source has the batch.
enum class PointKind : std::uint8_t { left, entered, started, finished, begun };

struct Point {
  PointKind kind = PointKind::begun;
  std::uint32_t record = PathIndex::none;
  std::uint64_t key() const { return std::uint64_t{record} << 3 | static_cast<std::uint64_t>(kind); }
};

struct Link {
  Point point;
  Nanoseconds time{};
  PathBinding binding = PathBinding::data;
};

/// The points that were passed at the present instant. Few, unless executions take no time.
class Passed {
 public:
  void clear() {
    few_.clear();
    if (!many_.empty()) many_.clear();
  }
  void add(Point point) {
    if (few_.size() < 64)
      few_.push_back(point.key());
    else
      many_.insert(point.key());
  }
  bool contains(Point point) const {
    return std::find(few_.begin(), few_.end(), point.key()) != few_.end() || many_.contains(point.key());
  }

 private:
  std::vector<std::uint64_t> few_;
  std::unordered_set<std::uint64_t> many_;
};

class Walk {
 public:
  Walk(const PipelineRun& run, RunWindow window, const std::vector<StageColumns>& sorted, const VisitCopies& copies,
       Laps laps)
      : run_(run),
        sorted_(sorted),
        copies_(copies),
        index_(run, sorted),
        begin_(window.begin),
        laps_(std::move(laps)),
        ways_(ways_of(run.shape)),
        shares_(run.stages.size() + 1) {}

  std::vector<BinderShare> binders() { return laps_.finish(has_source_ ? Binder::source : Binder::start); }

  CriticalPath walk() {
    CriticalPath path;
    const auto& batches = run_.schedule.batches;
    if (batches.empty()) return path;
    std::size_t last = 0;
    for (std::size_t b = 1; b < batches.size(); ++b)
      if (batches[b].delivered > batches[last].delivered) last = b;
    link_ = {last_visit(last), batches[last].delivered, PathBinding::end};
    path.length = std::max(Nanoseconds{}, link_.time - begin_);
    while (!lost_ && link_.point.kind != PointKind::begun && link_.time > begin_) step();
    if (!lost_ && link_.time > begin_) {
      has_source_ = true;
      charge(PathActivity::source, -1, Execution::host, begin_);
    }
    for (auto& list : shares_) path.shares.insert(path.shares.end(), list.begin(), list.end());
    std::stable_sort(path.shares.begin(), path.shares.end(),
                     [](const PathShare& a, const PathShare& b) { return a.total > b.total; });
    for (const PathShare& share : path.shares) path.explained += share.total;
    return path;
  }

 private:
  /// The visit after which the batch was delivered.
  Point last_visit(std::size_t batch) const {
    const std::size_t stages = run_.stages.size(), first = batch * stages;
    std::size_t last = stages - 1;  // which feeds the sink
    for (std::size_t s = 0; s + 1 < stages; ++s)
      if (ways_.behind[s].empty() && run_.schedule.visits[first + s].left > run_.schedule.visits[first + last].left)
        last = s;
    return {PointKind::left, static_cast<std::uint32_t>(first + last)};
  }
  const VisitRecord& visit(std::uint32_t i) const { return run_.schedule.visits[i]; }
  const ExecutionRecord& execution(std::uint32_t i) const { return run_.schedule.executions[i]; }

  void step() {
    passed_.add(link_.point);
    if (link_.point.kind == PointKind::finished) return execute();
    found_ = false;
    if (link_.point.kind == PointKind::started)
      ask_start(link_.point.record);
    else if (link_.point.kind == PointKind::left)
      ask_leave(link_.point.record);
    else
      ask_entry(link_.point.record);
    if (found_ && best_.time == link_.time) {
      trail_.push_back(link_);
      return move_to(best_, link_.point);
    }
    // Time has passed since, unless another way through this instant explains it.
    if (found_ && (!gap_ || best_.time > gap_->second.time)) gap_ = {link_, best_};
    if (!trail_.empty()) {
      link_ = trail_.back();
      trail_.pop_back();
    } else {
      cross_gap();
    }
  }

  void cross_gap() {
    lost_ = !gap_;
    if (lost_) return;
    const auto [from, to] = *gap_;
    link_ = from;
    if (run_.logged && came_by_itself(from.point, to.time)) {
      link_.point.kind = PointKind::begun;
      return;
    }
    const bool of_execution = from.point.kind == PointKind::started;
    const int stage = of_execution ? execution(from.point.record).what.stage : visit(from.point.record).stage;
    if (const Nanoseconds copied = std::min(copied_before(from.point), link_.time - to.time); copied.count() > 0) {
      charge(PathActivity::copy, stage, Execution::host, link_.time - copied);
      link_.time -= copied;
    }
    if (to.time < link_.time) charge(PathActivity::dispatch, stage, Execution::host, to.time);
    forget_the_instant();
    move_to(to, from.point);
  }

  /// A program does not report when its source had a batch. One that the first stage takes long after all else was
  /// there, beside its distance from the batch before, did not come earlier.
  bool came_by_itself(Point point, Nanoseconds all_there) const {
    constexpr double long_wait = 0.1;
    const bool is_start = point.kind == PointKind::started;
    if (!is_start && point.kind != PointKind::entered) return false;
    const int stage = is_start ? execution(point.record).what.stage : visit(point.record).stage;
    if (!ways_.before[index(stage)].empty()) return false;
    const auto& came = sorted_[index(stage)].entered;
    const auto here = std::lower_bound(came.begin(), came.end(), link_.time.count());
    if (here == came.begin()) return false;
    return static_cast<double>((link_.time - all_there).count()) >=
           long_wait * static_cast<double>(link_.time.count() - *std::prev(here));
  }

  /// Copies that a batch waited for right before it left or started.
  Nanoseconds copied_before(Point point) const {
    if (point.kind == PointKind::left) return Nanoseconds(copies_.after_of(point.record));
    if (point.kind != PointKind::started) return {};
    const Execution& what = execution(point.record).what;
    const bool of_part = what.phase == FlowPhase::run && run_.shape.stages[index(what.stage)].split();
    if (of_part || what.phase == FlowPhase::merge) return {};
    if (what.batch >= static_cast<std::int64_t>(run_.schedule.batches.size())) return {};
    return Nanoseconds(copies_.before_of(index_.visit_of(what)));
  }

  /// The stretch in which something really ran.
  void execute() {
    const ExecutionRecord& record = execution(link_.point.record);
    constexpr PathActivity activities[] = {PathActivity::partition, PathActivity::run, PathActivity::merge};
    if (record.start < link_.time)
      charge(activities[static_cast<std::size_t>(record.what.phase)], record.what.stage, record.what.device,
             record.start);
    move_to({{PointKind::started, link_.point.record}, record.start, PathBinding::data}, link_.point);
  }

  void move_to(const Link& next, Point from) {
    tell_laps(from, next);
    if (next.time < link_.time) forget_the_instant();
    link_ = next;
  }

  void forget_the_instant() {
    passed_.clear();
    trail_.clear();
    gap_.reset();
  }

  /// A batch that left when it was done did not wait, whatever comes after it waited for.
  void tell_laps(Point from, const Link& next) {
    const bool is_on_its_way = next.point.kind == PointKind::finished || next.point.kind == PointKind::entered;
    if (from.kind == PointKind::left && is_on_its_way) return;
    const bool at_start = from.kind == PointKind::started;
    const int stage = at_start ? execution(from.record).what.stage
                               : (from.kind == PointKind::finished ? -1 : visit(from.record).stage);
    switch (next.binding) {
      case PathBinding::replica:
        return laps_.wait_for(kept_by_order(from.record, next.point.record) ? Binder::order : Binder::stage, stage, -1);
      case PathBinding::request:
        return laps_.wait_for(Binder::device, -1, execution(from.record).what.device);
      case PathBinding::room:
        return laps_.wait_for(Binder::queue, execution(next.point.record).what.stage, -1);
      case PathBinding::order:
        return laps_.wait_for(Binder::order, stage, -1);
      case PathBinding::in_flight:
        return laps_.wait_for(Binder::in_flight, -1, -1);
      case PathBinding::data:
      case PathBinding::end:
        return;
    }
  }

  /// The execution got the replica of `before`, which worked to the end; but a batch that had started after that was
  /// done earlier in another replica, and kept it because `before` had to leave first.
  bool kept_by_order(std::uint32_t e, std::uint32_t before) const {
    const FlowStage& stage = run_.shape.stages[index(execution(e).what.stage)];
    if (!stage.ordered || stage.replicas.size() < 2) return false;
    const VisitRecord& first = visit(before);
    const auto held = [](const VisitRecord& v) { return v.left - v.done; };
    for (auto v = index_.before_in_stage(index_.visit_of(execution(e).what)); v != PathIndex::none && v != before;
         v = index_.before_in_stage(v)) {
      const VisitRecord& other = visit(v);
      const bool left_then = first.left <= other.left && other.left <= execution(e).start;
      if (other.done < first.done && left_then && 2 * held(first) < held(other)) return true;
    }
    return false;
  }

  /// One more condition; the first of those that were fulfilled last counts.
  void ask(Point point, Nanoseconds time, PathBinding binding) {
    if (point.record == PathIndex::none || time > link_.time || (found_ && time <= best_.time)) return;
    if (time == link_.time && passed_.contains(point)) return;
    best_ = {point, time, binding};
    found_ = true;
  }

  void ask_finished(std::uint32_t record, PathBinding binding) {
    if (record != PathIndex::none) ask({PointKind::finished, record}, execution(record).end, binding);
  }
  void ask_left(std::uint32_t record, PathBinding binding) {
    if (record != PathIndex::none) ask({PointKind::left, record}, visit(record).left, binding);
  }
  /// Of the conditions of one kind that may be meant, the last that was fulfilled by now and not passed: when several
  /// batches enter at one instant it is not known which was let in by which, and any of them is right.
  template <typename Candidate>
  void ask_last(Candidate candidate, PathBinding binding) {
    constexpr std::size_t most = 256;  // bounds the search in runs that contradict themselves
    for (std::size_t back = 0; back < most; ++back) {
      const std::optional<Link> link = candidate(back);
      if (!link) return;
      if (link->time > link_.time || (link->time == link_.time && passed_.contains(link->point))) continue;
      return ask(link->point, link->time, binding);
    }
  }

  void ask_room(int from, int stage) {
    const auto start = [&](std::size_t back) -> std::optional<Link> {
      const std::uint32_t maker = index_.made_room(from, stage, link_.time, back);
      if (maker == PathIndex::none) return std::nullopt;
      return Link{{PointKind::started, index_.first_execution(maker)}, visit(maker).started};
    };
    ask_last(start, PathBinding::room);
  }

  void ask_in_flight() {
    const auto delivery = [&](std::size_t back) -> std::optional<Link> {
      const std::uint32_t batch = index_.let_in(link_.time, back);
      if (batch == PathIndex::none) return std::nullopt;
      return Link{last_visit(batch), run_.schedule.batches[batch].delivered};
    };
    ask_last(delivery, PathBinding::in_flight);
  }

  void ask_leave(std::uint32_t v) {
    const int stage = visit(v).stage;
    if (index_.last_execution(v) == PathIndex::none)  // the batch skipped the stage
      return ask({PointKind::entered, v}, visit(v).entered, link_.binding);
    ask_finished(index_.last_execution(v), link_.binding);
    for (const int next : ways_.behind[index(stage)]) ask_room(stage, next);
    if (run_.shape.stages[index(stage)].ordered) ask_left(index_.before_in_stage(v), PathBinding::order);
  }

  void ask_start(std::uint32_t e) {
    const Execution& what = execution(e).what;
    if (what.batch >= static_cast<std::int64_t>(run_.schedule.batches.size())) return;
    const std::uint32_t v = index_.visit_of(what);
    const bool split = run_.shape.stages[index(what.stage)].split();
    if (what.phase == FlowPhase::merge) return ask_finished(index_.longest_part(v), PathBinding::data);
    if (what.phase == FlowPhase::run && split) {
      ask_finished(index_.first_execution(v), PathBinding::data);
    } else {
      ask({PointKind::entered, v}, visit(v).entered, PathBinding::data);
      ask_left(index_.before_in_replica(v), PathBinding::replica);
    }
    ask_finished(index_.gave_request(e), PathBinding::request);
  }

  void ask_entry(std::uint32_t v) {
    const int stage = visit(v).stage;
    const auto& before = ways_.before[index(stage)];
    for (const int b : before) ask_left(v - static_cast<std::uint32_t>(stage - b), PathBinding::data);
    if (!before.empty()) return;
    const std::uint32_t batch = static_cast<std::uint32_t>(visit(v).batch);
    for (const int first : ways_.first) ask_room(FlowStage::source, first);
    ask_in_flight();
    const Nanoseconds there = run_.shape.source.open ? run_.schedule.batches[batch].arrived : begin_;
    ask({PointKind::begun, batch}, there, PathBinding::data);
  }

  /// The time from `since`, or the beginning of the run, to the present point.
  void charge(PathActivity activity, int stage, int device, Nanoseconds since) {
    auto& list = shares_[index(stage + 1)];
    const PathBinding binding = link_.binding;
    auto share = std::find_if(list.begin(), list.end(), [&](const PathShare& s) {
      return s.activity == activity && s.device == device && s.binding == binding;
    });
    if (share == list.end()) share = list.insert(list.end(), {activity, stage, device, binding, 0, {}});
    const Nanoseconds from = std::max(since, begin_);
    ++share->count;
    share->total += link_.time - from;
    if (activity == PathActivity::dispatch)
      laps_.spend_apart(Binder::dispatch, from, link_.time);
    else if (activity == PathActivity::source)
      laps_.spend_apart(Binder::source, from, link_.time);
    else
      laps_.spend(from, link_.time);
  }

  const PipelineRun& run_;
  const std::vector<StageColumns>& sorted_;
  const VisitCopies& copies_;
  PathIndex index_;
  Nanoseconds begin_;
  Laps laps_;
  bool has_source_ = false;  ///< the path ends where a batch came
  FlowWays ways_;
  std::vector<std::vector<PathShare>> shares_;  ///< by stage, the source first
  Link link_, best_;
  bool found_ = false, lost_ = false;
  Passed passed_;                             ///< at the present instant, as the next two
  std::vector<Link> trail_;                   ///< to go back on when a way through the instant ends
  std::optional<std::pair<Link, Link>> gap_;  ///< the first such end: from, to
};

}  // namespace

CriticalPath find_critical_path(const PipelineRun& run, RunWindow window, const std::vector<StageColumns>& sorted,
                                const VisitCopies& copies, Laps laps, std::vector<BinderShare>& binders) {
  Walk walk(run, window, sorted, copies, std::move(laps));
  CriticalPath path = walk.walk();
  binders = walk.binders();
  return path;
}

}  // namespace takt
