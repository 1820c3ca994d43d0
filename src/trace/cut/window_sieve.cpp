#include "trace/cut/window_sieve.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace takt {
namespace {

using chrome::EventParser;
using chrome::Mark;
using chrome::Window;

bool begins(const Mark& mark) { return mark.phase == 'B' || mark.phase == 'b'; }
bool ends(const Mark& mark) { return mark.phase == 'E' || mark.phase == 'e'; }

class Sieve {
 public:
  Sieve(const EventParser& parser, Window& window, const TracePart& part)
      : parser_(parser),
        window_(window),
        part_(part),
        keeps_slice_(window.slices.size()),
        keeps_mark_(window.marks.size()) {}

  void run() {
    choose_slices();
    choose_pairs();
    choose_arrows();
    take_out();
  }

 private:
  bool is_wanted(const chrome::Id& process) const {
    return !part_.pids || (!process.is_text && part_.pids->contains(process.value));
  }
  bool is_wanted_row(std::uint32_t row) const { return is_wanted(parser_.rows()[row].key.process); }

  void choose_slices() {
    for (std::size_t i = 0; i < window_.slices.size(); ++i) {
      const TraceEvent& event = window_.slices[i];
      keeps_slice_[i] = overlaps(part_.span, event.start_ns, event.duration_ns) &&
                        is_wanted_row(static_cast<std::uint32_t>(event.row));
    }
  }

  void keep(std::size_t mark, bool keeps) {
    keeps_mark_[mark] = keeps;
    if (begins(window_.marks[mark])) keeps_slice_[window_.marks[mark].event] = keeps;
  }

  /// A pair inside the window is judged as one event; what has no partner here stays.
  void choose_pairs() {
    std::vector<std::size_t> ordered;
    for (std::size_t i = 0; i < window_.marks.size(); ++i) {
      const Mark& mark = window_.marks[i];
      if ((begins(mark) || ends(mark)) && is_wanted_row(mark.row)) ordered.push_back(i);
      if (begins(mark)) keeps_slice_[mark.event] = false;
    }
    std::stable_sort(ordered.begin(), ordered.end(),
                     [&](std::size_t a, std::size_t b) { return window_.marks[a].time < window_.marks[b].time; });
    std::map<std::tuple<std::uint32_t, std::uint64_t, bool>, std::vector<std::size_t>> open;
    for (const std::size_t i : ordered) {
      const Mark& mark = window_.marks[i];
      const bool is_async = mark.phase == 'b' || mark.phase == 'e';
      auto& stack = open[{mark.row, is_async ? mark.id : 0, is_async && mark.id_is_text}];
      keep(i, true);
      if (begins(mark)) {
        stack.push_back(i);
        continue;
      }
      const auto begin = std::find_if(stack.rbegin(), stack.rend(), [&](std::size_t b) {
        return mark.name == 0 || window_.marks[b].name == mark.name;
      });
      if (begin == stack.rend()) continue;
      const std::int64_t start = window_.marks[*begin].time;
      const bool keeps = overlaps(part_.span, start, mark.time - start);
      keep(*begin, keeps);
      keep(i, keeps);
      stack.erase(std::next(begin).base());
    }
  }

  void choose_arrows() {
    for (std::size_t i = 0; i < window_.marks.size(); ++i) {
      const Mark& mark = window_.marks[i];
      if (begins(mark) || ends(mark)) continue;
      keeps_mark_[i] = mark.time >= part_.span.start && mark.time <= part_.span.end && is_wanted_row(mark.row);
    }
  }

  std::uint32_t copy_args(std::uint32_t run) {
    if (run == 0) return 0;
    values_.clear();
    for (const TraceArg& arg : TraceArgs(window_.args, run)) values_.push_back(arg);
    return args_.add(values_);
  }

  void take_out() {
    std::vector<std::uint32_t> place(window_.slices.size() + 1);  // kept ones before each
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < window_.slices.size(); ++i) {
      place[i] = count;
      if (!keeps_slice_[i]) continue;
      TraceEvent& event = window_.slices[count++] = window_.slices[i];
      event.args = copy_args(event.args);
    }
    place.back() = count;
    window_.slices.resize(count);
    std::size_t marks = 0;
    for (std::size_t i = 0; i < window_.marks.size(); ++i) {
      if (!keeps_mark_[i]) continue;
      Mark& mark = window_.marks[marks++] = window_.marks[i];
      mark.event = place[mark.event];
      mark.args = copy_args(mark.args);
    }
    window_.marks.resize(marks);
    move_ends(window_.flows, place);
    move_ends(window_.instants, place);
    std::erase_if(window_.counters, [&](const chrome::CounterSample& sample) {
      return !overlaps(part_.span, sample.time, 0) || !is_wanted(sample.process);
    });
    std::erase_if(window_.namings, [&](const chrome::Naming& naming) { return !is_wanted(naming.process); });
    window_.args = std::move(args_);
    window_.marks.shrink_to_fit();
    window_.counters.shrink_to_fit();
  }

  template <typename End>
  void move_ends(std::vector<End>& list, const std::vector<std::uint32_t>& place) {
    std::erase_if(list, [&](const End& end) { return !keeps_slice_[static_cast<std::size_t>(end.event)]; });
    for (End& end : list) end.event = static_cast<EventId>(place[static_cast<std::size_t>(end.event)]);
    list.shrink_to_fit();
  }

  const EventParser& parser_;
  Window& window_;
  const TracePart& part_;
  std::vector<bool> keeps_slice_, keeps_mark_;
  ArgStore args_;
  std::vector<TraceArg> values_;
};

}  // namespace

void sieve(const EventParser& parser, Window& window, const TracePart& part) { Sieve(parser, window, part).run(); }

}  // namespace takt
