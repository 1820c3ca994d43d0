// Orders, sums and numbers of the analyser, with values worked out by hand.
#include <gmock/gmock.h>

#include <cmath>
#include <deque>

#include "base/basics/error.h"
#include "base/files/padded_text.h"
#include "measure/profiles/analyze.h"
#include "measure/profiles/analyze_table.h"
#include "measure/profiles/id_index.h"
#include "measure/profiles/json_text.h"
#include "measure/profiles/peer_types.h"
#include "measure/profiles/profile_file.h"
#include "measure/profiles/run_record.h"
#include "measure/profiles/shape_columns.h"

namespace takt {
namespace {

using testing::ElementsAre;
using Aggregate = AnalyzeOptions::Aggregate;

PeerOperator worked(std::string_view name, double time, std::optional<double> computation, std::optional<double> memory,
                    std::string_view id) {
  PeerOperator op;
  op.name = name, op.type = "T", op.id = id, op.inputs = "[]";
  op.device.entries = 1, op.device.end = time;
  if (computation) op.computation = PeerNumber{*computation, true};
  if (memory) op.memory = PeerNumber{*memory, true};
  return op;
}

/// FLOPS are 40, 10 and unknown; bytes per second 100, unknown and 75.
PeerProfile three_of_each() {
  std::vector<PeerOperator> all{worked("a", 1, 40, 100, "10"), worked("b", 2, 20, {}, "9"),
                                worked("c", 4, {}, 300, "100")};
  all[0].in_shapes = "[[2,9]]", all[1].in_shapes = "[[10]]", all[2].in_shapes = "[[2,10]]";
  all[0].out_shapes = "[[3]]", all[2].out_shapes = "[[20]]";
  return PeerProfile(std::move(all), {});
}

std::string ordered(const std::string& by) {
  const PeerProfile profile = three_of_each();
  auto records = time_records(filter_operators(profile, {}), Section::device, false, {});
  order_records(records, by);
  std::string names;
  for (const auto& record : records) names += record.name;
  return names;
}

TEST(AnalyzeOrder, of_every_column_both_ways_with_what_is_missing_last) {
  struct Case {
    const char *column, *falling, *rising;
  };
  for (const auto& [column, falling, rising] :
       {Case{"time", "cba", "abc"}, Case{"computation", "abc", "bac"}, Case{"memory", "cab", "acb"},
        Case{"flops", "abc", "bac"}, Case{"FLOPS", "abc", "bac"}, Case{"bandwidth", "acb", "cab"},
        Case{"opr_id", "cab", "bac"}, Case{"in_shapes", "bca", "acb"}, Case{"out_shapes", "cab", "acb"}}) {
    EXPECT_EQ(ordered(column), falling) << column;
    EXPECT_EQ(ordered("+" + std::string(column)), rising) << column;
  }
}

TEST(AnalyzeOrder, of_a_column_that_is_none_is_refused_where_there_is_something_to_sort) {
  std::vector<OperatorRecord> none, one(1), two(2);
  const auto said = [](std::vector<OperatorRecord>& records, const std::string& by) {
    try {
      order_records(records, by);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("sorted");
  };
  EXPECT_EQ(said(two, "+nonsense"),
            "--order-by: there is no column 'nonsense' to sort by; use time, computation, memory, FLOPS, bandwidth, "
            "opr_id, in_shapes or out_shapes");
  EXPECT_EQ(said(none, "nonsense"), "sorted");
  for (const char* column : {"info", "in_layouts"}) {
    EXPECT_EQ(said(one, std::string("+") + column), "sorted") << column;
    EXPECT_NE(said(one, column), "sorted") << column;
    EXPECT_NE(said(two, std::string("+") + column), "sorted") << column;
  }
}

TEST(AnalyzeOrder, of_many_records_is_stable_with_nan_behind_numbers) {
  std::vector<std::string> names;
  for (int i = 0; i < 70; ++i) names.push_back(std::to_string(i));
  std::vector<OperatorRecord> records(70);
  for (std::size_t i = 0; i < 70; ++i) records[i].name = names[i], records[i].bandwidth = static_cast<double>(i % 2);
  records[3].bandwidth = NAN, records[5].bandwidth.reset();
  order_records(records, "bandwidth");
  std::vector<int> found;
  for (const auto& record : records) found.push_back(std::stoi(std::string(record.name)));
  std::vector<int> expected;
  for (const int parity : {1, 0})
    for (int i = parity; i < 70; i += 2)
      if (i != 3 && i != 5) expected.push_back(i);
  expected.insert(expected.end(), {3, 5});
  EXPECT_EQ(found, expected);
}

OperatorRecord combined(const std::vector<double>& times, const std::vector<std::optional<PeerNumber>>& memory,
                        Aggregate how) {
  std::vector<OperatorRecord> records;
  for (std::size_t i = 0; i < times.size(); ++i) {
    records.emplace_back().time = times[i];
    if (i < memory.size()) records.back().memory = memory[i];
  }
  return aggregate_records(records, how, false).at(0);
}

TEST(AnalyzeAggregates, hand_on_what_is_no_number) {
  for (const auto how : {Aggregate::max, Aggregate::min}) {
    EXPECT_TRUE(std::isnan(combined({1, NAN, 3}, {}, how).time));
    EXPECT_TRUE(std::isnan(combined({NAN, 1}, {}, how).time));
  }
  EXPECT_EQ(combined({1, 5, 3}, {}, Aggregate::max).time, 5);
  EXPECT_EQ(combined({4, 2, 3}, {}, Aggregate::min).time, 2);
}

TEST(AnalyzeAggregates, pass_over_what_is_not_known) {
  const std::vector<std::optional<PeerNumber>> whole{PeerNumber{3, true}, std::nullopt, PeerNumber{5, true}},
      mixed{PeerNumber{3, true}, std::nullopt, PeerNumber{0.5, false}},
      nothing{std::nullopt, std::nullopt, std::nullopt};
  const auto told = [&](const auto& memory, Aggregate how) {
    const auto number = combined({1, 1, 2}, memory, how).memory;
    return number ? std::to_string(number->value) + (number->integral ? " whole" : "") : "unknown";
  };
  EXPECT_EQ(told(whole, Aggregate::sum), "8.000000 whole");
  EXPECT_EQ(told(whole, Aggregate::mean), "2.666667") << "of three";
  EXPECT_EQ(told(whole, Aggregate::max), "5.000000 whole");
  EXPECT_EQ(told(whole, Aggregate::min), "3.000000 whole");
  EXPECT_EQ(told(mixed, Aggregate::sum), "3.500000");
  EXPECT_EQ(told(mixed, Aggregate::max), "3.000000");
  EXPECT_EQ(told(nothing, Aggregate::sum), "unknown");
  const OperatorRecord sum = combined({1, 1, 2}, whole, Aggregate::sum);
  EXPECT_EQ(sum.bandwidth, 2) << "8 bytes in 4 seconds";
  EXPECT_EQ(sum.id, "N/A");
  EXPECT_EQ(sum.count, 3u);
}

TEST(AnalyzeTimes, nothing_computed_is_unknown_and_nothing_moved_is_zero) {
  const PeerProfile profile({worked("a", 2, 0, 0, "1")}, {});
  const auto record = time_records(filter_operators(profile, {}), Section::device, false, {}).at(0);
  EXPECT_FALSE(record.computation || record.flops);
  EXPECT_EQ(record.bandwidth, 0);
}

TEST(AnalyzeTimes, without_a_number_are_named) {
  PeerOperator op = worked("a\n", 1, {}, {}, "7");
  op.device.bad_end = "end", op.host.entries = 1, op.host.bad_kern = "kern";
  const PeerProfile profile({op}, {});
  const auto said = [&](Section section, bool until_kernel) {
    try {
      time_records(filter_operators(profile, {}), section, until_kernel, {});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  const std::string end = "; was the profile written to its end?";
  EXPECT_THAT(said(Section::device, false), testing::EndsWith("(7): its device times have no number 'end'" + end));
  EXPECT_EQ(said(Section::device, true), "read");
  EXPECT_THAT(said(Section::host, true), testing::EndsWith("(7): its host times have no number 'kern'" + end));
  EXPECT_EQ(said(Section::host, false), "read");
}

TEST(AnalyzeTimes, a_total_is_whole_where_all_of_it_is) {
  for (const bool is_whole : {true, false}) {
    std::vector<PeerOperator> operators{worked("a", 1, {}, {}, "1"), worked("b", 2, {}, {}, "2")};
    operators[0].device.integral_end = true, operators[1].device.integral_end = is_whole;
    const auto total = total_time(PeerProfile(std::move(operators), {}), Section::device).value();
    EXPECT_EQ(total.time, 3);
    EXPECT_EQ(total.integral, is_whole);
  }
}

TEST(AnalyzeTimes, aggregating_by_a_type_needs_to_be_told_how) {
  AnalyzeOptions options;
  options.aggregate_by_type = true;
  try {
    select_records(three_of_each(), Section::device, options);
    ADD_FAILURE() << "selected";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "--aggregate-by needs --aggregate, which says how: max, min, sum or mean");
  }
}

TEST(JsonText, numbers_are_those_of_pythons_json) {
  struct Case {
    const char* text;
    std::optional<double> value;
    bool is_whole;
  };
  constexpr auto none = std::nullopt;
  for (const auto& [text, value, is_whole] :
       {Case{"0", 0, true}, Case{"-17", -17, true}, Case{"1.0", 1, false}, Case{"1e3", 1000, false},
        Case{"2E-1", 0.2, false}, Case{"Infinity", HUGE_VAL, false}, Case{"-Infinity", -HUGE_VAL, false},
        Case{"+1", none, false}, Case{"1_0", none, false}, Case{"inf", none, false}, Case{"nan", none, false},
        Case{"", none, false}, Case{"-", none, false}, Case{"0x1", none, false}, Case{"true", none, false}}) {
    const auto number = json_number(text);
    ASSERT_EQ(number.has_value(), value.has_value()) << text;
    if (!number) continue;
    EXPECT_EQ(number->value, *value) << text;
    EXPECT_EQ(number->integral, is_whole) << text;
  }
  EXPECT_TRUE(std::isnan(json_number("NaN")->value));
}

TEST(JsonText, strings_are_views_unless_they_hold_escapes) {
  std::deque<std::string> unescaped;
  const std::string plain = R"("plain" behind)", escaped = R"("x\n\t\"\\\/\u00e9\ud83d\ude00\q")",
                    cut = R"("never ends)";
  EXPECT_EQ(json_string(plain.data() + 1, plain, unescaped), "plain");
  EXPECT_TRUE(unescaped.empty());
  EXPECT_EQ(json_string(escaped.data() + 1, escaped, unescaped), "x\n\t\"\\/é😀q");
  EXPECT_EQ(unescaped.size(), 1u);
  EXPECT_EQ(json_string(cut.data() + 1, cut, unescaped), "never ends");
  EXPECT_THAT(json_strings(R"(["a", 1, "b\"c", ["d"], ""])"), ElementsAre("a", R"(b\"c)", "d", ""));
  EXPECT_THAT(json_strings(R"(["a", "cut)"), ElementsAre("a"));
  EXPECT_THAT(json_strings("[1, 2]"), ElementsAre());
}

TEST(JsonText, shapes_are_lists_of_lists) {
  const auto told = [](std::string_view json) {
    const auto shapes = parse_shapes(json);
    if (!shapes) return std::string("none");
    std::string text;
    for (const auto& shape : *shapes) {
      text += shape ? "{" : "null";
      if (!shape) continue;
      for (const auto& extent : *shape) text += extent + " ";
      text += "}";
    }
    return text;
  };
  EXPECT_EQ(told("[]"), "");
  EXPECT_EQ(told("[[1,3,224],null,[]]"), "{1 3 224 }null{}");
  EXPECT_EQ(told(" [ [ 1 , -2 ] ] "), "{1 -2 }");
  EXPECT_EQ(told("[[1.50, 1e3]]"), "{1.5 1000.0 }");
  for (const char* wrong :
       {"", "null", "[1]", "[[1]", "[[1,]]", "[[1] [2]]", "[nul]", "[[a]]", "[[1 2]]", "{}", "[[1],"})
    EXPECT_EQ(told(wrong), "none") << wrong;
}

TEST(PeerTypes, are_spelled_with_a_capital_where_the_peer_has_them) {
  using E = ElementType;
  std::string all;
  for (const auto type : {E::boolean, E::f16, E::f32, E::f64, E::i8, E::i16, E::i32, E::i64, E::u8, E::u16, E::u32,
                          E::u64, E::bf16, E::string, E::i4, E::complex64, E::undefined})
    all += peer_type(type) + " ";
  EXPECT_EQ(
      all,
      "Bool Float16 Float32 Float64 Int8 Int16 Int32 Int64 Uint8 Uint16 Uint32 Uint64 BFloat16 string int4 complex64 "
      "undefined ");
}

TEST(IdIndex, numbers_ids_in_order_wherever_they_are_kept) {
  for (const std::size_t limit : {std::size_t{0}, std::size_t{10}}) {
    IdIndex index(limit);
    using Inserted = std::pair<std::uint32_t, bool>;
    EXPECT_EQ(index.insert("9"), Inserted(0, true));
    EXPECT_EQ(index.insert("10"), Inserted(1, true)) << "the first beyond a table of ten";
    EXPECT_EQ(index.insert("0"), Inserted(2, true));
    EXPECT_EQ(index.insert("09"), Inserted(3, true)) << "another text";
    EXPECT_EQ(index.insert(""), Inserted(4, true));
    EXPECT_EQ(index.insert("9"), Inserted(0, false));
    EXPECT_EQ(index.insert("09"), Inserted(3, false));
    EXPECT_EQ(index.size(), 5u);
    for (const auto& [id, number] :
         {std::pair<std::string_view, std::uint32_t>{"9", 0}, {"10", 1}, {"0", 2}, {"09", 3}, {"", 4}})
      EXPECT_EQ(index.find(id), number) << id;
    for (const char* other : {"1", "8", "11", "00", "x", "9 "}) EXPECT_FALSE(index.find(other)) << other;
  }
}

TEST(AnalyzeColumns, some_need_the_samples_of_each_run) {
  const auto needs = [](std::vector<std::string> names) { return needs_samples(names); };
  EXPECT_FALSE(needs({}));
  EXPECT_FALSE(needs(default_analyze_columns()));
  EXPECT_FALSE(needs({"time", "bandwidth", "intensity", "intensity_flop_per_byte"}))
      << "a column is named by its first word, too";
  for (const char* name : {"kernel", "samples", "p50_us", "roofline", "impossible", "tim"})
    EXPECT_TRUE(needs({"name", name})) << name;
  EXPECT_THAT(default_analyze_columns(),
              ElementsAre("name", "type", "id", "count", "time_us", "time_share_percent", "computation_flo",
                          "memory_bytes", "flops", "bandwidth_bytes_per_s", "in_shapes", "out_shapes"));
}

TEST(AnalyzePeaks, are_of_this_machine_s_cpu_alone) {
  const auto why = [](const std::string& device, const std::string& cpu, const std::string& here) {
    const PaddedText text(R"({"provenance": {"device": ")" + device + R"(", "cpu": ")" + cpu + R"("}})");
    return why_no_peaks(ProfileSamples(RunRecord(text.text(), "p")), here);
  };
  EXPECT_EQ(why("CPU", "one", "one"), "");
  EXPECT_EQ(why("GPU", "one", "one"), "the profile is of GPU, and takt measures peaks of the CPU only");
  EXPECT_EQ(why("CPU", "one", "other"), "the profile is of 'one', the peaks are of this machine, 'other'");
  EXPECT_EQ(why("", "one", "other"), "the profile is of 'one', the peaks are of this machine, 'other'");
  for (const auto& [recorded, here] : {std::pair{"", "other"}, {"-", "other"}, {"one", "-"}})
    EXPECT_EQ(why("CPU", recorded, here), "");
}

TEST(ProfileKinds, every_key_of_a_report_is_known) {
  for (const char* key : {"report_type", "detailed_performance", "avg_performance", "cmd_options",
                          "configuration_setup", "execution_results"})
    EXPECT_EQ(detect_profile_kind(" {\n\"" + std::string(key) + "\": 1"), ProfileKind::benchmark_app_json) << key;
  EXPECT_EQ(detect_profile_kind(R"({"traceEvents": [)"), ProfileKind::ort);
  EXPECT_EQ(detect_profile_kind("\xef\xbb\xbf\t[{"), ProfileKind::ort);
  for (const char* text :
       {R"({"graph_exec": {}, "report_type": 1)", R"({x "report_type": 1)", R"({"report_type)", "{", "", "layer"})
    EXPECT_EQ(detect_profile_kind(text), ProfileKind::peer) << text;
  for (const char* text : {"layerName;execStatus", "x,layerName", "Command line parameters\n", "Configuration setup\n"})
    EXPECT_EQ(detect_profile_kind(text), ProfileKind::benchmark_app_csv) << text;
  EXPECT_EQ(detect_profile_kind("a\nlayerName"), ProfileKind::peer) << "not in the first line";
}

TEST(FlopsFromShapes, of_fused_and_of_turned_operators) {
  for (const char* type : {"Conv", "FusedConv", "NhwcFusedConv"})
    EXPECT_EQ(flops_from_shapes(type, {{1, 3, 5, 5}, {4, 3, 3, 3}}, {{1, 4, 3, 3}}), 1944) << type;
  EXPECT_EQ(flops_from_shapes("Conv", {{1, 3, 5, 5}}, {{1, 4, 3, 3}}), std::nullopt) << "its weights are not told";
  for (const char* type : {"Gemm", "FusedGemm", "MatMul", "FusedMatMul"}) {
    EXPECT_EQ(flops_from_shapes(type, {{3, 4}, {4, 5}}, {{3, 5}}), 120) << type;
    EXPECT_EQ(flops_from_shapes(type, {{4, 3}, {4, 5}}, {{3, 5}}), 120) << type << " of a turned matrix";
    EXPECT_EQ(flops_from_shapes(type, {{3, 3}, {3, 5}}, {{3, 5}}), 90) << type;
  }
  EXPECT_EQ(flops_from_shapes("MatMul", {{4}, {4, 5}}, {{5}}), 40);
  EXPECT_EQ(flops_from_shapes("Unheard", {{4}}, {{4}}), std::nullopt);
}

TEST(ForeignProfiles, become_operators_with_means_of_their_runs) {
  ForeignProfile foreign;
  ForeignOperator full;
  full.name = "n", full.type = "t", full.device = {Duration(1), Duration(3)}, full.host = {Duration(10), Duration(20)};
  full.waits = {Duration(0.5), Duration(1.5)}, full.flops = 70, full.bytes = 80;
  full.input_shapes = {{1, 2}, {3}}, full.output_shapes = std::vector<Shape>{Shape{5}},
  full.input_types = {"Float32", "Int64"};
  ForeignOperator bare;
  bare.name = "b", bare.host = {Duration(4)};
  foreign.operators = {full, bare};
  const PeerProfile profile = to_peer_profile(foreign);
  ASSERT_EQ(profile.operators().size(), 2u);
  const PeerOperator &first = profile.operators()[0], &second = profile.operators()[1];
  EXPECT_EQ(std::string(first.name) + std::string(first.type) + std::string(first.id), "nt0");
  EXPECT_EQ(first.device.entries, 1u);
  EXPECT_DOUBLE_EQ(first.device.end, 2e-6);
  EXPECT_DOUBLE_EQ(first.device.kern, 1e-6);
  EXPECT_DOUBLE_EQ(first.host.end, 15e-6);
  EXPECT_FALSE(first.device.integral_end || first.device.integral_kern);
  EXPECT_EQ(first.computation->value, 70);
  EXPECT_EQ(first.memory->value, 80);
  EXPECT_TRUE(first.computation->integral && first.memory->integral);
  EXPECT_EQ(first.in_shapes, "[[1,2],[3]]");
  EXPECT_EQ(first.out_shapes, "[[5]]");
  EXPECT_EQ(first.inputs, R"(["Float32","Int64"])");
  EXPECT_EQ(second.id, "1");
  EXPECT_EQ(second.device.entries, 0u);
  EXPECT_DOUBLE_EQ(second.host.end, 4e-6);
  EXPECT_EQ(second.host.kern, 0);
  EXPECT_FALSE(second.computation || second.memory);
  EXPECT_EQ(second.inputs, "[]");
}

TEST(RunRecordFields, each_has_its_own_key) {
  const PaddedText text(R"({
    "provenance": {"runtime": "r", "runtime_version": "v", "device": "d", "host": "h", "cpu": "c", "date": "t",
                   "command": ["takt", "run", "dir/m.xml"], "settings": {"threads": "2", "b": "3"}},
    "inputs": [{"name": "n", "type": "y", "shape": [], "origin": "o"}, {"name": "m", "shape": null}],
    "memory": {"profiled": {"load_peak_bytes": 1, "run_peak_bytes": 2}, "plain": {"run_peak_bytes": 4, "load_peak_bytes": 3},
               "weight_bytes": 5, "activation_peak_bytes": 6},
    "usage": {"profiled": {"run_delay_ns": [30, -5], "cpu_time_ns": [50], "steal_ns": null, "cache_walk_ns": [7, 0, 9]},
              "other": {"run_delay_ns": [900], "cpu_time_ns": [1]}},
    "profile": {"plain_samples_ns": [8, 9], "samples_ns": [7],
                "operators": {"0": {"tensors": ["a", "b"], "fused": [], "samples_ns": [1]}}}})");
  const RunRecord record(text.text(), "p");
  const RunOrigin& from = record.origin();
  EXPECT_EQ(from.runtime + from.runtime_version + from.device + from.host + from.cpu + from.date + " " + from.model,
            "rvdhct m.xml");
  EXPECT_EQ(from.settings, (std::map<std::string, std::string>{{"b", "3"}, {"threads", "2"}}));
  EXPECT_FALSE(from.one_thread);
  ASSERT_EQ(from.inputs.value().size(), 2u);
  const RecordedInput &first = (*from.inputs)[0], &second = (*from.inputs)[1];
  EXPECT_EQ(first.name + first.type + first.shape + first.origin, "ny{}o");
  EXPECT_EQ(second.name + second.type + second.shape + second.origin, "m");
  EXPECT_EQ(record.memory().load_peak, 3) << "of the plain pass, wherever it stands";
  EXPECT_EQ(record.memory().run_peak, 4);
  EXPECT_EQ(record.memory().weights, 5);
  EXPECT_EQ(record.memory().activation_peak, 6);
  EXPECT_DOUBLE_EQ(record.waiting_share().value(), 30.0 / 80);
  EXPECT_EQ(record.cache_walk_ns(), 8) << "of 7 and 9, no time is none";
  EXPECT_THAT(record.plain_samples(), ElementsAre(Nanoseconds(8), Nanoseconds(9)));
  EXPECT_THAT(record.samples(), ElementsAre(Nanoseconds(7)));
  EXPECT_THAT(record.times_of(*record.find("0")).tensors, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace takt
