#include "pipeline/whatif/change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"

namespace takt {
namespace {

std::string refusal(const std::string& text, bool sweep = false) {
  try {
    if (sweep) {
      parse_sweep(text);
    } else {
      parse_change(text);
    }
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Change, reads_every_knob) {
  const PipelineChange time = parse_change("stage.infer.time=x0.5");
  EXPECT_EQ(time.knob, Knob::stage_time);
  EXPECT_EQ(time.target, "infer");
  EXPECT_TRUE(time.factor);
  EXPECT_EQ(time.number, 0.5);
  EXPECT_EQ(parse_change("stage.infer.time=2.5ms").number, 2.5e6);
  EXPECT_FALSE(parse_change("stage.infer.time=2.5ms").factor);
  EXPECT_EQ(parse_change("stage.a.replicas=2").number, 2);
  EXPECT_EQ(parse_change("stage.a.queue=4").knob, Knob::stage_queue);
  EXPECT_EQ(parse_change("stage.a.threads=2").knob, Knob::stage_threads);
  EXPECT_EQ(parse_change("stage.a.device=sim:NPU").device, "sim:NPU");
  EXPECT_THAT(parse_change("stage.a.ratio=0.7,0.3").ratio, testing::ElementsAre(0.7, 0.3));
  EXPECT_EQ(parse_change("device.CPU.requests=2").target, "CPU");
  EXPECT_EQ(parse_change("device.CPU.requests=none").number, std::nullopt);
  EXPECT_EQ(parse_change("source.in_flight=8").number, 8);
  EXPECT_EQ(parse_change("source.rate=50.5").number, 50.5);
  EXPECT_FALSE(parse_change("source.rate=50.5").random);
  EXPECT_EQ(parse_change("source.rate=poisson 80").number, 80);
  EXPECT_TRUE(parse_change("source.rate=poisson 80").random);
  EXPECT_EQ(parse_change("source.rate=closed").number, std::nullopt);
}

TEST(Change, names_may_have_dots) {
  EXPECT_EQ(parse_change("device.GPU.0.requests=2").target, "GPU.0");
  EXPECT_EQ(parse_change("stage.a.b.c.queue=2").target, "a.b.c");
}

TEST(Change, wrong_words_are_refused_with_the_nearest) {
  EXPECT_EQ(refusal("stage.infer.tme=x0.5"), "'stage.infer.tme=x0.5': a stage has no 'tme'; did you mean 'time'?");
  EXPECT_EQ(refusal("stag.infer.time=x0.5"), "'stag.infer.time=x0.5': start with stage., not stag.");
  EXPECT_EQ(refusal("source.colour=1"), "'source.colour=1': a source has no 'colour'; it has in_flight, rate");
  EXPECT_EQ(refusal("stage.infer.time"), "'stage.infer.time': a change is KNOB=VALUE, such as stage.infer.time=x0.5");
  EXPECT_EQ(refusal("stage.time=x2"), "'stage.time=x2': name the stage: stage.NAME.KNOB=VALUE");
}

TEST(Change, wrong_values_are_refused) {
  for (const auto* text : {"stage.a.time=0.5",
                           "stage.a.time=x",
                           "stage.a.time=x-1",
                           "stage.a.time=xnan",
                           "stage.a.replicas=0",
                           "stage.a.replicas=1.5",
                           "stage.a.replicas=none",
                           "stage.a.queue=99999999999",
                           "stage.a.ratio=a,b",
                           "stage.a.ratio=0.5,0.6",
                           "stage.a.ratio=",
                           "device.d.requests=0",
                           "source.rate=0",
                           "source.rate=-3",
                           "source.in_flight=0",
                           "stage.a.device=",
                           "=",
                           ".",
                           "stage..time=x1",
                           "source..rate=1"})
    EXPECT_NE(refusal(text), "accepted") << text;
}

TEST(Change, a_sweep_has_both_ends) {
  const auto values = parse_sweep("stage.infer.time=x0.2:x1:x0.2");
  ASSERT_EQ(values.size(), 5u);
  EXPECT_NEAR(*values.front().number, 0.2, 1e-12);
  EXPECT_NEAR(*values.back().number, 1, 1e-12);
  EXPECT_EQ(parse_sweep("stage.a.replicas=1:4:1").size(), 4u);
  EXPECT_EQ(parse_sweep("stage.a.time=1ms:2ms:500us")[1].number, 1.5e6);
  for (const auto* text : {"stage.a.replicas=1:4", "stage.a.replicas=4:1:1", "stage.a.time=x1:2ms:x1",
                           "stage.a.device=a:b:c", "stage.a.time=x1:x2:x0", "source.rate=1:1e9:1", "stage.a.queue"})
    EXPECT_NE(refusal(text, true), "accepted") << text;
}

TEST(Change, a_sweep_has_a_thousand_values_at_most) {
  EXPECT_EQ(parse_sweep("stage.a.replicas=1:1000:1").size(), 1000u);
  EXPECT_THAT(refusal("stage.a.replicas=1:1001:1", true), testing::HasSubstr("at most 1,000 values"));
  EXPECT_EQ(parse_sweep("stage.a.replicas=3:3:1").size(), 1u) << "one is a sweep";
  EXPECT_EQ(parse_sweep("stage.a.replicas=1:6:2").size(), 3u) << "1, 3 and 5";
  EXPECT_NE(refusal("stage.a.replicas=3:2:1", true), "accepted");
}

TEST(Change, the_last_of_each_knob_of_each_stage_holds) {
  std::vector<PipelineChange> changes;
  for (const char* text :
       {"stage.a.time=x2", "stage.b.time=x3", "stage.a.replicas=2", "stage.a.time=x4", "stage.b.time=x5"})
    changes.push_back(parse_change(text));
  std::vector<std::string> left;
  for (const PipelineChange& change : last_of_each_knob(changes)) left.push_back(change.text);
  EXPECT_EQ(left, (std::vector<std::string>{"stage.a.replicas=2", "stage.a.time=x4", "stage.b.time=x5"}));
}

TEST(Change, a_sweep_spells_its_values_as_a_reader_would) {
  const auto texts = [](const std::string& text) {
    std::vector<std::string> result;
    for (const auto& change : parse_sweep(text)) result.push_back(change.text + " | " + value_text(change));
    return result;
  };
  EXPECT_THAT(
      texts("stage.a.time=20ms:60ms:20ms"),
      testing::ElementsAre("stage.a.time=20ms | 20 ms", "stage.a.time=40ms | 40 ms", "stage.a.time=60ms | 60 ms"));
  EXPECT_THAT(
      texts("stage.a.time=0.5ms:1500us:500us"),
      testing::ElementsAre("stage.a.time=500us | 500 us", "stage.a.time=1ms | 1 ms", "stage.a.time=1.5ms | 1.5 ms"));
  EXPECT_THAT(texts("stage.a.time=x0.5:x1:x0.5"),
              testing::ElementsAre("stage.a.time=x0.5 | x0.5", "stage.a.time=x1 | x1"));
  EXPECT_EQ(texts("stage.a.time=x0.5:2:0.5").size(), 4u) << "the x of the others may be left out";
  EXPECT_THAT(texts("source.rate=50:60:10"), testing::ElementsAre("source.rate=50 | 50", "source.rate=60 | 60"));
  EXPECT_EQ(value_text(parse_change("device.a.requests=none")), "none");
}

TEST(Change, a_sweep_over_names_is_refused_with_what_can_be_swept) {
  EXPECT_EQ(refusal("stage.a.device=CPU:GPU:1", true),
            "'stage.a.device=CPU:GPU:1': 'device' cannot be swept; sweep one of stage.NAME.time, stage.NAME.replicas, "
            "stage.NAME.queue, stage.NAME.threads, device.NAME.requests, source.in_flight, source.rate");
  EXPECT_THAT(refusal("stage.a.ratio=0.1:0.5:0.1", true), testing::HasSubstr("'ratio' cannot be swept"));
  EXPECT_THAT(refusal("stage.a.time=1:4:1", true), testing::HasSubstr("time takes a factor such as x0.5"));
  EXPECT_THAT(refusal("stage.a.tme=x1:x2:x1", true), testing::HasSubstr("did you mean 'time'?"));
}

}  // namespace
}  // namespace takt
