// Begins and ends in any order of the file, against pairing by hand: sort by time, then a stack per track.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "perfetto_message.h"
#include "trace/perfetto/reader.h"

namespace takt {
namespace {

using proto::field;
using proto::packet;

enum class Kind : std::uint8_t { begin = 1, end = 2, instant = 3 };
struct Mark {
  Kind kind{};
  std::uint64_t time = 0, track = 0;
  bool brings = false;  // an end that has an argument: its position in the file
};

std::string bytes_of(const std::vector<Mark>& marks) {
  std::string bytes;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const Mark& mark = marks[i];
    const std::string arg = mark.brings ? field(4, field(10, "end") + field(3, i)) : std::string();
    const std::string name = mark.kind == Kind::end ? std::string() : field(23, std::to_string(i));
    bytes += packet(field(8, mark.time) + field(11, field(9, static_cast<std::uint64_t>(mark.kind)) +
                                                        field(11, 100 + mark.track) + name + arg));
  }
  return bytes;
}

/// "NAME START+DURATION [what its end brought]" of every event, in the order of the file.
struct Expected {
  std::vector<std::string> events;
  std::uint64_t lone_begins = 0, lone_ends = 0;
};

Expected paired_by_hand(const std::vector<Mark>& marks) {
  std::vector<std::size_t> order(marks.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return marks[a].time < marks[b].time; });
  Expected expected;
  std::vector<std::uint64_t> ends(marks.size());
  std::vector<std::string> brought(marks.size());
  std::array<std::vector<std::size_t>, 3> open;
  std::uint64_t last = 0;
  for (const std::size_t i : order) {
    const Mark& mark = marks[i];
    auto& stack = open[mark.track];
    last = std::max(last, mark.time);
    ends[i] = mark.time;
    if (mark.kind == Kind::begin) stack.push_back(i);
    if (mark.kind != Kind::end) continue;
    if (stack.empty()) {
      ++expected.lone_ends;
      continue;
    }
    ends[stack.back()] = mark.time;
    if (mark.brings) brought[stack.back()] = " end=" + std::to_string(i);
    stack.pop_back();
  }
  for (const auto& stack : open) {
    expected.lone_begins += stack.size();
    for (const std::size_t i : stack) ends[i] = last;
  }
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (marks[i].kind == Kind::end) continue;
    expected.events.push_back(std::to_string(i) + " " + std::to_string(marks[i].time) + "+" +
                              std::to_string(ends[i] - marks[i].time) + brought[i]);
  }
  return expected;
}

Expected paired_by_reader(const std::vector<Mark>& marks) {
  const TraceRead read = parse_perfetto_trace(bytes_of(marks), "marks");
  Expected found;
  for (const TraceEvent& event : read.trace.events()) {
    std::string line =
        read.trace.text(event.name) + " " + std::to_string(event.start_ns) + "+" + std::to_string(event.duration_ns);
    for (const TraceArg arg : read.trace.args(event))
      line += " " + read.trace.text(arg.key) + "=" + std::to_string(std::get<std::int64_t>(arg.value));
    found.events.push_back(line);
  }
  for (const TraceFault& fault : read.faults) {
    if (fault.rule == TraceRule::unmatched_begin) found.lone_begins = fault.count;
    if (fault.rule == TraceRule::unmatched_end) found.lone_ends = fault.count;
  }
  return found;
}

void expect_paired_as_by_hand(const std::vector<Mark>& marks) {
  const Expected expected = paired_by_hand(marks), found = paired_by_reader(marks);
  EXPECT_EQ(found.events, expected.events);
  EXPECT_EQ(found.lone_begins, expected.lone_begins);
  EXPECT_EQ(found.lone_ends, expected.lone_ends);
}

/// `back`: how often, of 100 marks, a track's time steps back. Few times, so that many are equal.
std::vector<Mark> random_marks(std::mt19937& random, int count, int back) {
  std::array<std::uint64_t, 3> now{50, 50, 50};
  std::vector<Mark> marks;
  for (int i = 0; i < count; ++i) {
    Mark mark;
    mark.track = random() % now.size();
    const bool steps_back = static_cast<int>(random() % 100) < back;
    std::uint64_t& time = now[mark.track];
    time = steps_back ? time - std::min<std::uint64_t>(time, random() % 40) : time + random() % 3;
    mark.time = time;
    const auto kind = random() % 9;
    mark.kind = kind < 4 ? Kind::begin : kind < 8 ? Kind::end : Kind::instant;
    mark.brings = mark.kind == Kind::end && random() % 4 == 0;
    marks.push_back(mark);
  }
  return marks;
}

TEST(PerfettoPairs, times_that_never_go_back_pair_as_by_hand) {
  std::mt19937 random(1);
  for (int i = 0; i < 300 && !HasFailure(); ++i) expect_paired_as_by_hand(random_marks(random, 60, 0));
}

TEST(PerfettoPairs, times_that_go_back_early_late_and_often_pair_as_by_hand) {
  std::mt19937 random(2);
  for (const int back : {1, 3, 30}) {
    for (int i = 0; i < 300 && !HasFailure(); ++i) expect_paired_as_by_hand(random_marks(random, 60, back));
  }
}

/// What was paired is taken back for an event that comes late and lies around, within or at the edge of others.
TEST(PerfettoPairs, ends_of_one_time_are_taken_back_in_the_order_of_the_file) {
  using enum Kind;
  expect_paired_as_by_hand({{begin, 0, 0, false},
                            {begin, 5, 0, false},
                            {end, 5, 0, true},
                            {end, 5, 0, true},
                            {end, 5, 0, true},
                            {begin, 3, 0, false},
                            {end, 5, 0, true},
                            {end, 9, 0, true}});
  expect_paired_as_by_hand({{begin, 0, 0, false},
                            {end, 5, 0, true},
                            {begin, 5, 0, false},
                            {end, 5, 0, true},
                            {begin, 3, 0, false},
                            {end, 5, 0, true},
                            {begin, 8, 0, false}});
}

}  // namespace
}  // namespace takt
