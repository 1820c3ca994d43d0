#include "pipeline/contention/interference.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/basics/error.h"
#include "pipeline/contention/interference_file.h"
#include "pipeline/whatif/what_if_cases.h"
#include "places.h"
#include "refused.h"

namespace takt {
namespace {

/// Stages of a pipeline on devices of their own, which slow each other down by a law; every call draws new noise.
StageRunner runner(std::vector<double> times_us, ContentionLaw law, double sigma) {
  auto calls = std::make_shared<std::uint64_t>(0);
  return [=](const std::vector<int>& stages) {
    std::vector<double> chosen;
    for (const int s : stages) chosen.push_back(times_us[static_cast<std::size_t>(s)]);
    TruePipeline truth = chain(chosen, 2, 150);
    truth.sigma = sigma;
    truth.seed = ++*calls;
    if (!law.interference.empty()) {
      for (const int i : stages) {
        auto& row = truth.contention.interference.emplace_back();
        for (const int j : stages)
          row.push_back(law.interference[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
      }
    }
    return run_truth(truth);
  };
}

const PairRow& pair(const InterferenceReport& report, int stage, int beside) {
  for (const auto& row : report.pairs)
    if (row.stage_number == stage && row.beside_number == beside) return row;
  throw std::logic_error("no such pair");
}

TEST(Interference, finds_the_matrix_also_where_the_partner_is_idle_now_and_then) {
  ContentionLaw law;
  law.interference = {{1, 1.5, 1}, {1, 1, 1.25}, {1.4, 1, 1}};
  const auto report = measure_interference({"a", "b", "c"}, runner({1000, 2500, 1500}, law, 0.05));
  ASSERT_EQ(report.pairs.size(), 9u);
  EXPECT_EQ(report.rounds, 3);
  EXPECT_FALSE(report.interrupted);
  for (const auto& row : report.pairs) {
    const double truth =
        law.interference[static_cast<std::size_t>(row.stage_number)][static_cast<std::size_t>(row.beside_number)];
    EXPECT_EQ(row.significant, truth > 1) << row.stage << " beside " << row.beside;
    EXPECT_NEAR(row.factor.value(), truth, 0.06) << row.stage << " beside " << row.beside;
  }
  EXPECT_LT(pair(report, 1, 0).overlap.value(), 0.6);  // a is done long before b
}

TEST(Interference, measures_only_the_pairs_that_are_wanted) {
  ContentionLaw law;
  law.interference = {{1, 1.5, 1}, {1, 1, 1.25}, {1.4, 1, 1}};
  InterferenceSettings settings;
  settings.wanted = [](int a, int b) { return (a == 0) != (b == 0); };
  std::vector<std::vector<int>> asked;
  std::uint64_t done = 0, total = 0;
  settings.progress = [&](std::uint64_t now, std::uint64_t of) { done = now, total = of; };
  const auto run = runner({1000, 2500, 1500}, law, 0.05);
  const auto report = measure_interference(
      {"a", "b", "c"},
      [&](const std::vector<int>& stages) {
        asked.push_back(stages);
        return run(stages);
      },
      settings);
  EXPECT_EQ(asked.size(), 3u * (3 + 2));  // each alone, and a beside both others
  EXPECT_EQ(done, total);
  ASSERT_EQ(report.pairs.size(), 4u);
  EXPECT_NEAR(pair(report, 0, 1).factor.value(), 1.5, 0.06);
  EXPECT_NEAR(pair(report, 2, 0).factor.value(), 1.4, 0.06);
}

TEST(Interference, noise_is_never_called_contention) {
  if (is_sanitized()) GTEST_SKIP() << only_more_cases;
  for (int repeat = 0; repeat < 6; ++repeat) {
    const auto report = measure_interference({"a", "b", "c"}, runner({1000 + 10.0 * repeat, 2500, 1500}, {}, 0.2));
    for (const auto& row : report.pairs) EXPECT_FALSE(row.significant) << row.stage << " beside " << row.beside;
  }
}

TEST(Interference, tells_the_share_of_the_memory_bandwidth) {
  InterferenceSettings settings;
  settings.peak_bytes_per_second = 8e9;  // 4 MB in 1 ms are half of it
  settings.bytes = {4e6, 4e6};
  const auto report = measure_interference({"a", "b"}, runner({1000, 2000}, {}, 0), settings);
  EXPECT_NEAR(report.alone[0].bandwidth_share.value(), 0.5, 1e-9);
  EXPECT_NEAR(report.alone[1].bandwidth_share.value(), 0.25, 1e-9);
  EXPECT_FALSE(measure_interference({"a", "b"}, runner({1000, 2000}, {}, 0)).alone[0].bandwidth_share);
}

/// The same run with counters: what an execution takes beyond `alone` is inside of them or not.
PipelineRun with_counters(PipelineRun run, double alone_us, bool inside) {
  for (RunDevice& device : run.devices) device.runtime = "openvino";
  for (const auto& record : run.schedule.executions) {
    const Nanoseconds all = record.end - record.start, base(static_cast<std::int64_t>(alone_us * 1e3));
    run.counters.push_back({inside ? all : std::min(all, base), {}, {}});
  }
  return run;
}

TEST(Interference, says_where_the_additional_time_lies) {
  ContentionLaw law;
  law.interference = {{1, 1.5}, {1.5, 1}};
  const auto cause = [&](bool inside, double bytes) {
    const auto truth = runner({1000, 1000}, law, 0);
    InterferenceSettings settings;
    settings.peak_bytes_per_second = 8e9;
    settings.bytes = {bytes, bytes};
    const auto report = measure_interference(
        {"a", "b"}, [&](const std::vector<int>& stages) { return with_counters(truth(stages), 1000, inside); },
        settings);
    EXPECT_TRUE(pair(report, 0, 1).significant);
    EXPECT_EQ(pair(report, 0, 0).cause, SlowdownCause::unknown);  // no slow-down, no cause
    return pair(report, 0, 1).cause;
  };
  EXPECT_EQ(cause(false, 4e6), SlowdownCause::scheduling);
  EXPECT_EQ(cause(true, 4e6), SlowdownCause::memory);  // half of the bandwidth each
  EXPECT_EQ(cause(true, 4e5), SlowdownCause::device);
}

TEST(Interference, tables_name_the_cause) {
  InterferenceReport report;
  for (const auto& [cause, cell] : {std::pair<SlowdownCause, Cell>{SlowdownCause::unknown, Cell()},
                                    {SlowdownCause::scheduling, "scheduling"},
                                    {SlowdownCause::memory, "memory"},
                                    {SlowdownCause::device, "device"}}) {
    report.pairs.assign(1, PairRow());
    report.pairs[0].cause = cause;
    EXPECT_EQ(some_columns(tables(report).front(), {"cause"}).rows.at(0).at(0), cell);
  }
}

TEST(Interference, a_stage_beside_itself_is_a_pair) {
  ContentionLaw law;
  law.interference = {{1.4, 1}, {1, 1}};
  const auto report = measure_interference({"a", "b"}, runner({1000, 1000}, law, 0.02));
  EXPECT_NEAR(pair(report, 0, 0).factor.value(), 1.4, 0.02);
  EXPECT_TRUE(pair(report, 0, 0).significant);
  EXPECT_FALSE(pair(report, 1, 1).significant);
}

TEST(Interference, many_stages_can_be_significant_too) {
  ContentionLaw law;
  law.interference.assign(9, std::vector<double>(9, 1));  // 81 pairs: 1 % over all is 0.00012 for each
  law.interference[2][5] = 1.5;
  const auto report =
      measure_interference(std::vector<std::string>(9, "s"), runner(std::vector<double>(9, 1000), law, 0.02), {2});
  for (const auto& row : report.pairs)
    EXPECT_EQ(row.significant, row.stage_number == 2 && row.beside_number == 5) << row.stage_number;
}

TEST(Interference, what_is_complete_when_it_is_stopped_counts) {
  std::atomic<bool> stop = false;
  int calls = 0;
  const auto truth = runner({1000, 1000}, {}, 0);
  const auto stopping = [&](const std::vector<int>& stages) {
    stop = ++calls == 8;  // a round is 2 alone and 3 pairs
    return truth(stages);
  };
  InterferenceSettings settings;
  settings.stop = &stop;
  const auto report = measure_interference({"a", "b"}, stopping, settings);
  EXPECT_EQ(report.rounds, 1);
  EXPECT_TRUE(report.interrupted);
  EXPECT_EQ(report.alone[0].executions, 150);
  stop = true;
  EXPECT_EQ(refused_with([&] {
              measure_interference({"a", "b"}, stopping, settings);
            }),
            "interference: stopped before everything was measured once; let it run longer");
}

TEST(Interference, its_json_is_read_back) {
  ContentionLaw law;
  law.interference = {{1, 1.5}, {1, 1}};
  const auto report = measure_interference({"a", "b"}, runner({1000, 1000}, law, 0));
  const auto pairs = parse_interference(to_json(tables(report), "{}"), "file");
  ASSERT_EQ(pairs.size(), 4u);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    EXPECT_EQ(pairs[p].stage, report.pairs[p].stage);
    EXPECT_EQ(pairs[p].beside, report.pairs[p].beside);
    EXPECT_EQ(pairs[p].factor, report.pairs[p].factor);
    EXPECT_EQ(pairs[p].low, report.pairs[p].low);
    EXPECT_EQ(pairs[p].significant, report.pairs[p].significant);
  }
}

TEST(Interference, what_is_no_such_file_is_refused) {
  for (
      const char* text :
      {"", "[]", "{}", R"({"tables": {}})", R"({"tables": {"pairs": [{}]}})", R"({"tables": {"pairs": [5]}})",
       R"({"tables": {"pairs": [{"stage":"a","beside":"b","factor":0,"p_value":1,"significant":"no"}]}})",
       R"({"tables": {"pairs": [{"stage":"a","beside":"b","factor":null,"p_value":1,"significant":"yes"}]}})",
       R"({"tables": {"pairs": [{"stage":"a","beside":"b","factor":2,"p_value":1,"significant":"perhaps"}]}})",
       R"({"tables": {"pairs": [{"stage":"a","beside":"b","factor":2,"p_value":2,"significant":"no"}]}})",
       R"({"tables": {"pairs": [{"stage":"a","stage":"c","beside":"b","factor":2,"p_value":1,"significant":"no"}]}})",
       R"({"tables": {"pairs": [{"stage":"a","beside":"b","factor":2,"factor_low":3,"factor_high":1,"p_value":1,"significant":"no"}]}})",
       R"({"tables": {"pairs": [{"stage":"a","beside":"b","factor":2,"p_value":1,"significant":"no","source":"guessed"}]}})",
       R"({"tables": {"pairs": [{"stage":"a","beside":"b","factor":2,"p_value":1,"significant":"no"},
                                 {"stage":"a","beside":"b","factor":2,"p_value":1,"significant":"no"}]}})"}) {
    try {
      parse_interference(text, "slow.json");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with("slow.json: ")) << error.what();
    }
  }
}

TEST(Interference, needs_a_stage) {
  EXPECT_EQ(refused_with([&] { measure_interference({}, runner({1000}, {}, 0)); }),
            "interference: the pipeline has no stage; describe at least one");
}

TEST(Interference, beside_other_programs_says_that_it_does_not_know) {
  InterferenceReport report;
  report.alone.resize(2);
  report.alone[0].stage = "a", report.alone[1].stage = "b";
  for (int stage = 0; stage < 2; ++stage)
    for (int beside = 0; beside < 2; ++beside) {
      PairRow& row = report.pairs.emplace_back();
      row.stage_number = stage, row.beside_number = beside, row.significant = stage != beside;
      row.stage = stage == 0 ? "a" : "b", row.beside = beside == 0 ? "a" : "b";
      row.factor = stage != beside ? 1.4 : 1.0;
    }
  EXPECT_TRUE(to_text(report).starts_with("a is slowed down most: 1.40x while b runs."));
  doubt(report);
  EXPECT_FALSE(report.pairs[1].significant);
  EXPECT_TRUE(to_text(report).starts_with("Whether stages slow each other down is not known: other programs"));
  for (PairRow& row : report.pairs) row.factor = 1.0;
  EXPECT_TRUE(to_text(report).starts_with("No stage slows another one down."));
}

}  // namespace
}  // namespace takt
