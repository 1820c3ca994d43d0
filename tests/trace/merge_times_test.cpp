#include <gmock/gmock.h>

#include <limits>

#include "base/basics/error.h"
#include "refused.h"
#include "trace/read/merge.h"

namespace takt {
namespace {

using testing::ElementsAre;

MergeInput one_event_at(std::int64_t start, std::optional<std::int64_t> base, std::optional<std::int64_t> offset = {}) {
  MergeInput input;
  const ProcessId process = input.trace.add_process("p", 1);
  input.trace.add_event(input.trace.add_row(process, "r"), "e", "", Nanoseconds(start), Nanoseconds(1));
  if (base) input.trace.set_base_time(Nanoseconds(*base));
  if (offset) input.offset = Nanoseconds(*offset);
  return input;
}

std::vector<std::int64_t> starts(const Trace& trace) {
  std::vector<std::int64_t> list;
  for (const TraceEvent& event : trace.events()) list.push_back(event.start_ns);
  return list;
}

TEST(MergeTimes, the_earliest_base_is_time_zero_whichever_file_has_it) {
  for (const bool earliest_first : {false, true}) {
    std::vector<MergeInput> inputs{one_event_at(5, 4000), one_event_at(7, 9000)};
    if (!earliest_first) std::swap(inputs[0], inputs[1]);
    const Trace merged = merge_traces(inputs);
    EXPECT_EQ(merged.base_time()->count(), 4000);
    EXPECT_THAT(starts(merged), testing::UnorderedElementsAre(5, 5007));
  }
}

TEST(MergeTimes, an_offset_is_added_to_the_difference_of_the_bases) {
  const Trace merged = merge_traces({one_event_at(5, 4000), one_event_at(7, 9000, -100), one_event_at(1, {}, 30)});
  EXPECT_THAT(starts(merged), ElementsAre(5, 4907, 31));
}

TEST(MergeTimes, without_any_base_all_count_from_zero) {
  const Trace merged = merge_traces({one_event_at(5, {}), one_event_at(7, {}, 3)});
  EXPECT_FALSE(merged.base_time());
  EXPECT_THAT(starts(merged), ElementsAre(5, 10));
  MergeInput placed = one_event_at(7, 9000), other = one_event_at(5, {});
  other.file = "b.json";
  EXPECT_EQ(refused_with([&] {
              merge_traces({placed, other});
            }),
            "b.json: the trace does not report when it began (no baseTimeNanoseconds), so its position relative to the "
            "others is unknown; pass --offset b.json=TIME");
}

TEST(MergeTimes, that_do_not_fit_are_refused) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::string outside = "trace: a time does not fit the common time base; check the offsets",
                    centuries = "second: its base time is centuries from the others'; check it";
  MergeInput second = one_event_at(1, most);
  second.label = "second";
  EXPECT_EQ(refused_with([&] { merge_traces({one_event_at(0, 0), second}); }), outside);
  EXPECT_EQ(refused_with([&] { merge_traces({one_event_at(0, -1), second}); }), centuries);
  second.offset = Nanoseconds(1);
  EXPECT_EQ(refused_with([&] { merge_traces({one_event_at(0, 0), second}); }), centuries);
  second.offset = Nanoseconds(-1);
  EXPECT_THAT(starts(merge_traces({one_event_at(0, 0), second})), ElementsAre(0, most));
}

}  // namespace
}  // namespace takt
