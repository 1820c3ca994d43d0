// The key `takt` of a profile: what is read of it, and that nothing of it can be damaged unseen or do harm.
#include "measure/profiles/run_record.h"

#include <gmock/gmock.h>

#include <random>

#include "base/basics/error.h"
#include "base/files/padded_text.h"
#include "measure/profiles/profile_samples.h"

namespace takt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view value = R"({
  "provenance": {"command": ["takt", "run", "--threads", "1", "dir/net.onnx", "other.onnx"], "cpu": "c\"1\"",
                 "device": "CPU", "runtime": "sim", "settings": {"batch": 2, "threads": "1"}, "host": null},
  "model": {"path": "models/net.onnx", "files": [], "fingerprint": "00ff"}, "precision": "bf16",
  "inputs": [{"name": "x", "type": "f32", "shape": [1, 3], "origin": null}],
  "usage": {"plain": {"run_delay_ns": [10, null], "cpu_time_ns": [60, 20], "steal_ns": [10], "cache_walk_ns": [40, null, 60]},
            "profiled": {"cache_walk_ns": [90, -1]}},
  "memory": {"plain": {"base_bytes": 1, "load_peak_bytes": 2048, "run_peak_bytes": null},
             "profiled": {"load_peak_bytes": 4096, "run_peak_bytes": 4096}, "weight_bytes": 512},
  "profile": {"runs": 2, "samples_ns": [30, 31], "operators": {
    "0": {"calls": 2, "kernel": "brgconv", "constant_bytes": 4096, "fused": ["conv", "rel\u0075"], "samples_ns": [10, 11]},
    "7\u0041": {"kernel": null, "samples_ns": []}}}})";

/// Everything that can be asked for.
std::string all_of(std::string_view text) try {
  const PaddedText padded(text);
  const RunRecord record(padded.text(), "p");
  std::string read = record.origin().cpu + record.origin().model + record.origin().precision;
  if (record.origin().inputs)
    for (const auto& input : *record.origin().inputs) read += input.name + input.type + input.shape + input.origin;
  for (const auto time : record.samples()) read += std::to_string(time.count()) + " ";
  for (const auto& op : record.operators())
    for (const auto time : record.times_of(op).samples) read += std::to_string(time.count()) + " ";
  return read;
} catch (const Error& error) {
  return std::string("refused: ") + error.what();
}

TEST(RunRecord, tells_where_the_model_ran) {
  const PaddedText text(value);
  const RunRecord record(text.text(), "p");
  EXPECT_EQ(record.origin().cpu, "c\"1\"");
  EXPECT_EQ(record.origin().device, "CPU");
  EXPECT_EQ(record.origin().model, "net.onnx");
  EXPECT_EQ(record.origin().host, "");
  EXPECT_TRUE(record.origin().one_thread);
  EXPECT_EQ(record.origin().content, "00ff");
  EXPECT_EQ(record.origin().precision, "bf16");
  EXPECT_EQ(record.origin().inputs.value().at(0).shape, "{1,3}");
  EXPECT_EQ(record.origin().inputs.value().at(0).origin, "");
  EXPECT_TRUE(record.has_usage());
  EXPECT_DOUBLE_EQ(record.waiting_share().value(), 0.2);  // (10 + 10) of (10 + 10 + 80)
  EXPECT_EQ(record.cache_walk_ns(), 60) << "the median of 40, 60 and 90";
  EXPECT_EQ(record.memory().load_peak, 2048) << "of the plain pass";
  EXPECT_FALSE(record.memory().run_peak) << "the profiled pass is no stand-in";
  EXPECT_EQ(record.memory().weights, 512);
  EXPECT_FALSE(record.memory().activation_peak);
}

TEST(RunRecord, gives_the_samples_of_one_operator) {
  const PaddedText text(value);
  const RunRecord record(text.text(), "p");
  EXPECT_THAT(record.samples(), ElementsAre(Nanoseconds(30), Nanoseconds(31)));
  EXPECT_TRUE(record.plain_samples().empty());
  ASSERT_EQ(record.operators().size(), 2U);
  const RecordedSamples times = record.times_of(*record.find("0"));
  EXPECT_EQ(times.kernel, "brgconv");
  EXPECT_THAT(times.fused, ElementsAre("conv", "relu"));
  EXPECT_THAT(times.samples, ElementsAre(Nanoseconds(10), Nanoseconds(11)));
  EXPECT_EQ(times.constants, 4096);
  EXPECT_EQ(record.times_of(*record.find("7A")).kernel, "");
  EXPECT_EQ(record.times_of(*record.find("7A")).constants, std::nullopt);
  EXPECT_EQ(record.find("1"), nullptr);
}

TEST(RunRecord, nothing_recorded_is_empty) {
  const RunRecord record;
  EXPECT_FALSE(record.has_profile());
  EXPECT_TRUE(record.samples().empty());
  EXPECT_TRUE(ProfileSamples(record).of("0").device.empty());
}

TEST(RunRecord, what_is_not_as_takt_writes_it_is_refused) {
  EXPECT_THAT(all_of("[]"), HasSubstr("p: 'takt' is missing or not an object"));
  EXPECT_THAT(all_of(R"({"profile": []})"), HasSubstr("'takt.profile' is missing or not an object"));
  EXPECT_THAT(all_of(R"({"profile": {"operators": {"0": {"samples_ns": [1.5]}}}})"),
              HasSubstr("'takt.profile.operators.0.samples_ns' has a value that is not a number of nanoseconds"));
  EXPECT_THAT(all_of(R"({"profile": {"operators": {"0": {}}}})"), HasSubstr("0.samples_ns' is missing or not a list"));
  EXPECT_THAT(all_of(R"({"profile": {"operators": {"0": 7}}})"),
              HasSubstr("'takt.profile.operators.0' is missing or not an object"));
  EXPECT_THAT(all_of(R"({"profile": {"operators": {"0": {"kernel" "x", "samples_ns": []}}}})"),
              HasSubstr("'takt.profile.operators.0' is not well-formed JSON"));
  EXPECT_THAT(all_of(R"({"profile": {"samples_ns": [1 2]}})"), HasSubstr("'takt.profile.samples_ns'"));
}

TEST(RunRecord, cut_off_it_is_refused_wherever_it_ends) {
  for (std::size_t length = 1; length < value.size(); ++length)
    EXPECT_THAT(all_of(value.substr(0, length)), HasSubstr("refused: p: ")) << length;
}

TEST(RunRecord, damaged_it_is_read_or_refused_in_a_sentence) {
  std::mt19937 random(5);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string damaged(value);
    static constexpr std::string_view replacements("\"\\{}[],: 1\0\x1f\x80\xffx", 15);
    for (int i = 0; i < 2; ++i) damaged[random() % damaged.size()] = replacements[random() % replacements.size()];
    refused += all_of(damaged).starts_with("refused: p: ");
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace takt
