#include "trace/chrome/reader.h"
#include "trace/write/chrome_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/basics/error.h"
#include "refused.h"

namespace takt {
namespace {

TraceRead parse(const std::string& text, TraceReadSettings settings = {.threads = 1}) {
  return parse_chrome_trace(text, "test", settings);
}

TraceRead events(const std::string& list) { return parse("{\"traceEvents\":[" + list + "]}"); }

std::vector<std::string> broken(const TraceRead& read) {
  std::vector<std::string> rules;
  for (const TraceFault& fault : read.faults) rules.emplace_back(name_of(fault.rule));
  return rules;
}
using Rules = std::vector<std::string>;

/// "name start duration" of every event.
std::vector<std::string> slices(const Trace& trace) {
  std::vector<std::string> list;
  for (const TraceEvent& event : trace.events()) {
    list.push_back(trace.text(event.name) + " " + std::to_string(event.start_ns) + " " +
                   std::to_string(event.duration_ns));
  }
  return list;
}
using Slices = std::vector<std::string>;

TEST(ChromeReader, leaves_arrows_and_counters_out_where_only_slices_are_asked_for) {
  const std::string text =
      R"([{"ph":"X","pid":1,"tid":1,"ts":1,"dur":5,"name":"a","bind_id":"0x7","flow_out":true,"args":{"batch":3}},)"
      R"({"ph":"s","pid":1,"tid":1,"ts":2,"id":8,"name":"b"},{"ph":"C","pid":1,"ts":3,"name":"c","args":{"value":4}},)"
      R"({"ph":"B","pid":1,"tid":2,"ts":4,"name":"d"},{"ph":"f","pid":1,"tid":2,"ts":5,"id":8,"bp":"e","name":"b"},)"
      R"({"ph":"E","pid":1,"tid":2,"ts":9,"args":{"part":2}}])";
  const TraceRead all = parse(text), some = parse(text, {.threads = 1, .only_slices = true});
  EXPECT_EQ(all.trace.flows().size(), 3u);
  EXPECT_EQ(all.trace.counters().size(), 1u);
  EXPECT_TRUE(some.trace.flows().empty() && some.trace.counters().empty());
  EXPECT_EQ(slices(some.trace), (Slices{"a 1000 5000", "d 4000 5000"}));
  EXPECT_EQ(slices(some.trace), slices(all.trace));
  EXPECT_EQ(some.file_events, all.file_events);
  for (const std::size_t event : {0, 1})
    EXPECT_EQ(some.trace.args(some.trace.events()[event]).size(), all.trace.args(all.trace.events()[event]).size());
}

TEST(ChromeReader, reads_the_object_form_and_the_array_form) {
  const std::string event = R"({"ph":"X","pid":1,"tid":2,"ts":1.5,"dur":0.25,"name":"a","cat":"c"})";
  for (const std::string& text : {"{\"traceEvents\":[" + event + "]}", "[" + event + "]", " [\n" + event + "\n,",
                                  "\xEF\xBB\xBF{\"displayTimeUnit\":\"ms\", \"traceEvents\" : [ " + event + " ] }\n"}) {
    const TraceRead read = parse(text);
    EXPECT_EQ(slices(read.trace), (Slices{"a 1500 250"})) << text;
    EXPECT_EQ(read.trace.rows()[0].tid, 2u);
    EXPECT_EQ(read.trace.text(read.trace.events()[0].category), "c");
  }
}

TEST(ChromeReader, stamps_are_exact_where_a_double_is_not) {
  const TraceRead read = events(R"({"ph":"X","pid":1,"tid":1,"ts":1705312345678901.234,"dur":1e-3,"name":"a"},)"
                                R"({"ph":"X","pid":1,"tid":1,"ts":"12.0005","dur":1.5E+1,"name":"b"})");
  EXPECT_EQ(slices(read.trace), (Slices{"a 1705312345678901234 1", "b 12001 15000"}));
  EXPECT_EQ(broken(read), (Rules{"lost_precision"}));
}

TEST(ChromeReader, begins_and_ends_become_slices) {
  const TraceRead read = events(R"({"ph":"B","pid":1,"tid":1,"ts":1,"name":"outer","args":{"a":1}},)"
                                R"({"ph":"B","pid":1,"tid":1,"ts":2,"name":"inner"},)"
                                R"({"ph":"E","pid":1,"tid":1,"ts":3},)"
                                R"({"ph":"E","pid":1,"tid":1,"ts":5,"name":"outer","args":{"b":2}})");
  EXPECT_EQ(slices(read.trace), (Slices{"outer 1000 4000", "inner 2000 1000"}));
  EXPECT_EQ(read.trace.args(read.trace.events()[0]).size(), 2u);
  EXPECT_TRUE(read.faults.empty());
}

TEST(ChromeReader, async_events_are_matched_by_id_on_a_row_of_their_category) {
  const TraceRead read = events(R"({"ph":"b","pid":1,"tid":1,"ts":1,"id":"0x1","cat":"request","name":"r"},)"
                                R"({"ph":"b","pid":1,"tid":2,"ts":2,"id":"0x2","cat":"request","name":"r"},)"
                                R"({"ph":"e","pid":1,"tid":9,"ts":4,"id":"0x1","cat":"request","name":"r"},)"
                                R"({"ph":"n","pid":1,"tid":9,"ts":4.5,"id":"0x2","cat":"request","name":"step"},)"
                                R"({"ph":"e","pid":1,"tid":9,"ts":6,"id":"0x2","cat":"request","name":"r"})");
  EXPECT_EQ(slices(read.trace), (Slices{"r 1000 3000", "r 2000 4000", "step 4500 0"}));
  ASSERT_EQ(read.trace.rows().size(), 1u);
  EXPECT_EQ(read.trace.rows()[0].name, "request");
  EXPECT_TRUE(read.faults.empty());
}

TEST(ChromeReader, an_arrow_binds_to_the_innermost_open_slice) {
  const TraceRead read = events(R"({"ph":"X","pid":1,"tid":1,"ts":0,"dur":100,"name":"outer"},)"
                                R"({"ph":"X","pid":1,"tid":1,"ts":10,"dur":10,"name":"inner"},)"
                                R"({"ph":"s","pid":1,"tid":1,"ts":10,"id":7,"cat":"ac2g","name":"ac2g"},)"
                                R"({"ph":"s","pid":1,"tid":1,"ts":20,"id":8,"cat":"ac2g","name":"ac2g"},)"
                                R"({"ph":"X","pid":2,"tid":7,"ts":50,"dur":5,"name":"kernel"},)"
                                R"({"ph":"f","pid":2,"tid":7,"ts":50,"id":7,"cat":"ac2g","name":"ac2g","bp":"e"},)"
                                R"({"ph":"X","pid":2,"tid":7,"ts":60,"dur":5,"name":"next"},)"
                                R"({"ph":"f","pid":2,"tid":7,"ts":56,"id":8,"cat":"ac2g","name":"ac2g"})");
  const Trace& trace = read.trace;
  std::vector<std::string> seen;
  for (const TraceFlow& flow : trace.flows()) {
    seen.push_back(std::to_string(flow.bind_id) + (flow.out ? " from " : " to ") +
                   trace.text(trace.events()[static_cast<std::size_t>(flow.event)].name));
  }
  EXPECT_EQ(seen, (Slices{"7 from inner", "8 from outer", "7 to kernel", "8 to next"}));
  EXPECT_TRUE(read.faults.empty());
}

TEST(ChromeReader, counters_of_several_values_become_several_counters) {
  const TraceRead read = events(R"({"ph":"C","pid":1,"ts":1,"name":"memory","args":{"used":5,"free":"2.5"}},)"
                                R"({"ph":"C","pid":1,"ts":2,"name":"queue","args":{"value":3}},)"
                                R"({"ph":"C","pid":1,"ts":3,"id":4,"name":"q","args":{"value":1}})");
  std::vector<std::string> seen;
  for (const TraceCounter& sample : read.trace.counters()) {
    seen.push_back(read.trace.text(sample.name) + " " + std::to_string(sample.value));
  }
  EXPECT_EQ(seen, (Slices{"memory used 5.000000", "memory free 2.500000", "queue 3.000000", "q id: 4 1.000000"}));
}

TEST(ChromeReader, instants_are_marked_with_their_scope) {
  const TraceRead read = events(R"({"ph":"i","pid":1,"tid":1,"ts":1,"name":"a"},)"
                                R"({"ph":"X","pid":1,"tid":1,"ts":1,"dur":0,"name":"no instant"},)"
                                R"({"ph":"i","s":"p","pid":1,"tid":1,"ts":2,"name":"b"},)"
                                R"({"ph":"I","s":"g","pid":1,"tid":1,"ts":3,"name":"c"})");
  std::vector<std::string> seen;
  for (const TraceInstant& instant : read.trace.instants()) {
    seen.push_back(std::to_string(static_cast<int>(instant.event)) + " " +
                   std::to_string(static_cast<int>(instant.scope)));
  }
  EXPECT_EQ(seen, (Slices{"0 0", "2 1", "3 2"}));
  EXPECT_TRUE(read.faults.empty());
  const TraceRead of_no_thread = events(R"({"ph":"i","s":"p","pid":1,"ts":2,"name":"b"})");
  EXPECT_TRUE(of_no_thread.faults.empty());
  EXPECT_EQ(of_no_thread.trace.instants()[0].scope, InstantScope::process);
}

TEST(ChromeReader, what_stands_beside_the_events_becomes_properties) {
  const TraceRead read =
      parse(R"({"schemaVersion": 1, "displayTimeUnit":"ms", "deviceProperties": [ {"id":0,"b":18446744073709551615} ],)"
            R"("distributedInfo":{"rank":"5"}, "metadata":{"other":[2],"takt":{"host":"h"}}, "traceEvents":[],)"
            R"( "traceName":"x\\\"y", "baseTimeNanoseconds": 7, "broken": NaN})");
  std::vector<std::string> seen;
  for (const TraceProperty& property : read.trace.properties()) seen.push_back(property.key + "=" + property.json);
  EXPECT_EQ(seen, (Slices{"schemaVersion=1", R"(deviceProperties=[ {"id":0,"b":18446744073709551615} ])",
                          R"(distributedInfo={"rank":"5"})", R"(metadata={"other":[2]})", R"(traceName="x\\\"y")"}));
  EXPECT_EQ(read.rank, 5);
  EXPECT_EQ(read.host, "h");
  EXPECT_EQ(read.trace.base_time(), Nanoseconds(7));
}

TEST(ChromeReader, times_since_1970_keep_their_place_in_time) {
  const TraceRead epoch = events(R"({"ph":"X","pid":1,"tid":1,"ts":1682725898082228,"dur":1,"name":"a"})");
  EXPECT_EQ(epoch.trace.base_time(), Nanoseconds(0));
  const Trace again = parse(to_chrome_json(epoch.trace)).trace;
  EXPECT_EQ(again.base_time()->count() + again.events()[0].start_ns, 1682725898082228000);
  EXPECT_FALSE(events(R"({"ph":"X","pid":1,"tid":1,"ts":4458676983543.183,"dur":1,"name":"a"})").trace.base_time());
}

TEST(ChromeReader, ends_that_lose_nothing_are_warnings) {
  const auto grade = [](const std::string& text) {
    const TraceRead read = parse(text);
    return read.faults.empty() ? "none" : std::string(name_of(grade_of(read.faults[0].rule)));
  };
  const std::string event = R"({"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"})";
  EXPECT_EQ(grade("[" + event + "]"), "none");
  EXPECT_EQ(grade("[" + event), "warning");
  EXPECT_EQ(grade("[" + event + ",\n"), "warning");
  EXPECT_EQ(grade("[" + event + ",{\"ph\":\"X\""), "error");
  EXPECT_EQ(grade("{\"traceEvents\":[" + event), "error");
  EXPECT_EQ(grade("{\"traceEvents\":[" + event + "]"), "error");
  EXPECT_EQ(grade("\xEF\xBB\xBF[" + event + "]"), "error");
}

TEST(ChromeReader, names_and_ids_that_importers_refuse_are_told) {
  EXPECT_EQ(broken(events(R"({"ph":"M","pid":1,"name":"process_name","args":{"name":""}})")), (Rules{"no_name"}));
  EXPECT_EQ(broken(events(R"({"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":5}})")), (Rules{"no_name"}));
  EXPECT_EQ(broken(events(R"({"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{}})")), (Rules{}));
  EXPECT_EQ(broken(events(R"({"ph":"n","pid":1,"tid":1,"ts":1,"name":"a"})")), (Rules{"missing_id"}));
  const std::string slice = R"({"ph":"X","pid":1,"tid":1,"ts":1,"dur":9,"name":"a"},)";
  const std::string ends = R"({"ph":"s","pid":1,"tid":1,"ts":2,"name":"b","id":"x y"},)"
                           R"({"ph":"f","pid":1,"tid":1,"ts":3,"name":"b","id":"x y","bp":"e"})";
  EXPECT_EQ(broken(events(slice + ends)), (Rules{"missing_id"}));
  EXPECT_EQ(broken(events(R"({"ph":"i","pid":1,"ts":1,"name":"a"})")), (Rules{"zero_tid", "missing_tid"}));
}

TEST(ChromeReader, a_device_of_number_0_and_arrows_to_work_that_was_not_recorded_are_no_faults) {
  const TraceRead read =
      events(R"({"ph":"X","cat":"kernel","pid":0,"tid":7,"ts":5,"dur":1,"name":"gemm"},)"
             R"({"ph":"X","cat":"cuda_runtime","pid":1,"tid":1,"ts":1,"dur":3,"name":"cudaLaunchKernel"},)"
             R"({"ph":"s","cat":"ac2g","pid":1,"tid":1,"ts":1,"id":4,"name":"ac2g"})");
  EXPECT_EQ(broken(read), Rules{});
}

TEST(ChromeReader, numbers_that_importers_cannot_use_are_replaced_and_told) {
  const TraceRead read = events(R"({"ph":"X","pid":0,"tid":0,"ts":1,"dur":1,"name":"gpu"},)"
                                R"({"ph":"X","pid":"Spans","tid":"Trace","ts":1,"dur":1,"name":"span"},)"
                                R"({"ph":"X","pid":1,"tid":-5,"ts":1,"dur":1,"name":"odd"},)"
                                R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"python"}})");
  std::set<std::uint32_t> pids;
  for (const TraceProcess& process : read.trace.processes()) pids.insert(process.pid);
  EXPECT_EQ(pids, (std::set<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(broken(read), (Rules{"zero_pid", "zero_tid", "odd_id"}));
  EXPECT_EQ(read.trace.processes()[0].name, "python");
  EXPECT_EQ(read.trace.processes()[2].name, "Spans");
}

TEST(ChromeReader, rows_of_the_largest_ids_stay_apart) {
  const TraceRead read =
      events(R"({"ph":"X","pid":700400000000001615,"tid":1,"ts":1,"dur":1,"name":"a"},)"
             R"({"ph":"X","pid":9223372036854775807,"tid":9223372036854775807,"ts":1,"dur":1,"name":"b"},)"
             R"({"ph":"X","pid":9223372036854775807,"tid":9223372036854775806,"ts":1,"dur":1,"name":"c"})");
  EXPECT_EQ(read.trace.processes().size(), 2u);
  EXPECT_EQ(slices(read.trace).size(), 3u);
  std::set<RowId> rows;
  for (const TraceEvent& event : read.trace.events()) rows.insert(event.row);
  EXPECT_EQ(rows.size(), 3u);
}

TEST(ChromeReader, whole_numbers_are_the_same_however_they_are_written_and_fractions_stay_apart) {
  const TraceRead read = events(R"({"ph":"X","pid":1,"tid":1.0,"ts":1,"dur":1,"name":"a"},)"
                                R"({"ph":"X","pid":1e0,"tid":1,"ts":3,"dur":1,"name":"b"},)"
                                R"({"ph":"X","pid":1,"tid":1.5,"ts":1,"dur":1,"name":"c"},)"
                                R"({"ph":"X","pid":1,"tid":1.7,"ts":1,"dur":1,"name":"d"})");
  EXPECT_EQ(read.trace.processes().size(), 1u);
  std::set<RowId> rows;
  for (const TraceEvent& event : read.trace.events()) rows.insert(event.row);
  EXPECT_EQ(rows.size(), 3u);
}

TEST(ChromeReader, an_arrows_number_is_hexadecimal_in_quotes_and_decimal_without) {
  const TraceRead read = events(R"({"ph":"X","pid":1,"tid":1,"ts":0,"dur":100,"name":"a"},)"
                                R"({"ph":"s","pid":1,"tid":1,"ts":10,"id":16,"cat":"c","name":"n"},)"
                                R"({"ph":"X","pid":1,"tid":2,"ts":50,"dur":5,"name":"b"},)"
                                R"({"ph":"f","pid":1,"tid":2,"ts":50,"id":"10","cat":"c","name":"n","bp":"e"})");
  ASSERT_EQ(read.trace.flows().size(), 2u);
  EXPECT_EQ(read.trace.flows()[0].bind_id, 16u);
  EXPECT_EQ(read.trace.flows()[1].bind_id, 16u);
  EXPECT_TRUE(read.faults.empty());
}

TEST(ChromeReader, arguments_of_every_kind_are_kept) {
  const TraceRead read = events(
      R"({"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a","args":{"i":-3,"big":9007199254740993,)"
      R"("huge":18446744073709551615,"d":0.1,"whole":2.0,"t":"x\n\"y\" \u20ac \ud83d\ude00","l":[ 1, [2, "b"], {} ],)"
      R"("o":{"k":null},"b":true,"n":null,"nan":NaN}})");
  const Trace& trace = read.trace;
  std::map<std::string, TraceArg> args;
  for (const TraceArg arg : trace.args(trace.events()[0])) args[trace.text(arg.key)] = arg;
  const auto json = [&](const std::string& key) { return trace.text(std::get<TraceJson>(args.at(key).value).text); };
  EXPECT_EQ(std::get<std::int64_t>(args.at("i").value), -3);
  EXPECT_EQ(std::get<std::int64_t>(args.at("big").value), 9007199254740993);
  EXPECT_EQ(json("huge"), "18446744073709551615");
  EXPECT_EQ(std::get<double>(args.at("d").value), 0.1);
  EXPECT_EQ(std::get<double>(args.at("whole").value), 2.0);
  EXPECT_EQ(trace.text(std::get<StringId>(args.at("t").value)), "x\n\"y\" \xE2\x82\xAC \xF0\x9F\x98\x80");
  EXPECT_EQ(json("l"), "[1,[2,\"b\"],{}]");
  EXPECT_EQ(json("o"), "{\"k\":null}");
  EXPECT_EQ(json("b"), "true");
  EXPECT_EQ(json("nan"), "null");
  EXPECT_EQ(broken(read), (Rules{"argument_not_a_number"}));
}

TEST(ChromeReader, keys_around_the_list_are_kept_before_and_after_it) {
  const std::string list = R"("traceEvents":[{"ph":"i","pid":1,"tid":1,"ts":1,"name":"a"}])";
  const std::string keys = R"("distributedInfo":{"rank":3},"baseTimeNanoseconds":1700000000000000000,)"
                           R"("metadata":{"takt":{"host":"box"}})";
  for (const std::string& text : {"{" + keys + "," + list + "}", "{" + list + "," + keys + "}"}) {
    const TraceRead read = parse(text);
    EXPECT_EQ(read.rank, 3);
    EXPECT_EQ(read.host, "box");
    EXPECT_EQ(read.trace.base_time(), Nanoseconds(1700000000000000000));
    EXPECT_EQ(read.trace.provenance_json(), R"({"host":"box"})");
    EXPECT_TRUE(read.faults.empty());
  }
}

struct Malformed {
  const char* what;
  const char* list;
  Rules rules;
  std::size_t events;
};

TEST(ChromeReader, every_fault_is_named_and_the_rest_is_read) {
  const std::string good = R"({"ph":"X","pid":1,"tid":1,"ts":100,"dur":1,"name":"good"})";
  const Malformed cases[] = {
      {"no phase", R"({"pid":1,"tid":1,"ts":1,"dur":1,"name":"a"})", {"missing_phase"}, 1},
      {"a phase nobody knows", R"({"ph":"Z","pid":1,"tid":1,"ts":1})", {"unknown_phase"}, 1},
      {"no time", R"({"ph":"X","pid":1,"tid":1,"dur":1,"name":"a"})", {"missing_ts"}, 1},
      {"no duration", R"({"ph":"X","pid":1,"tid":1,"ts":1,"name":"a"})", {"missing_dur"}, 1},
      {"negative", R"({"ph":"X","pid":1,"tid":1,"ts":5,"dur":-2,"name":"a"})", {"negative_dur"}, 2},
      {"NaN time", R"({"ph":"X","pid":1,"tid":1,"ts":NaN,"dur":1,"name":"a"})", {"not_a_number"}, 1},
      {"infinite duration", R"({"ph":"X","pid":1,"tid":1,"ts":1,"dur":-Infinity,"name":"a"})", {"not_a_number"}, 1},
      {"text for a time", R"({"ph":"X","pid":1,"tid":1,"ts":"soon","dur":1,"name":"a"})", {"not_a_number"}, 1},
      {"far away", R"({"ph":"X","pid":1,"tid":1,"ts":1e40,"dur":1,"name":"a"})", {"time_out_of_range"}, 1},
      {"begin", R"({"ph":"B","pid":1,"tid":1,"ts":1,"name":"a"})", {"unmatched_begin"}, 2},
      {"end", R"({"ph":"E","pid":1,"tid":1,"ts":1})", {"unmatched_end"}, 1},
      {"an arrow from nowhere", R"({"ph":"s","pid":1,"tid":1,"ts":1,"id":1})", {"flow_without_slice"}, 1},
      {"an arrow to nowhere", R"({"ph":"s","pid":1,"tid":1,"ts":100,"id":1})", {"flow_without_end"}, 1},
      {"a counter of nothing", R"({"ph":"C","pid":1,"ts":1,"name":"c","args":{}})", {"counter_without_value"}, 1},
      {"a counter of text", R"({"ph":"C","pid":1,"ts":1,"name":"c","args":{"v":"x"}})", {"counter_without_value"}, 1},
      {"not JSON", R"({"ph":"X","pid":1,"tid":1 "ts":1})", {"malformed_event"}, 1},
      {"not an object", R"(17)", {"malformed_event"}, 1},
      {"an argument without a comma",
       R"({"ph":"i","pid":1,"tid":1,"ts":1,"name":"a","args":{"o":{"x":"a"; "y":2}}})",
       {"malformed_event"},
       1},
      {"a list without a comma",
       R"({"ph":"i","pid":1,"tid":1,"ts":1,"name":"a","args":{"l":[1:2]}})",
       {"malformed_event"},
       1},
      {"lists without a comma",
       R"({"ph":"i","pid":1,"tid":1,"ts":1,"name":"a","args":{"l":[[1]x[2]]}})",
       {"malformed_event"},
       1},
      {"a raw line end", "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":1,\"name\":\"a\nb\"}", {"control_character"}, 2},
      {"an empty object", "{}", {}, 1},
      {"commas", ",,", {}, 1},
  };
  for (const Malformed& broken_case : cases) {
    const TraceRead read = events(std::string(broken_case.list) + "," + good);
    EXPECT_EQ(broken(read), broken_case.rules) << broken_case.what;
    EXPECT_EQ(read.trace.events().size(), broken_case.events) << broken_case.what;
  }
}

TEST(ChromeReader, overlaps_are_listed_on_request) {
  const std::string list = R"({"ph":"X","pid":1,"tid":1,"ts":1,"dur":5,"name":"a"},)"
                           R"({"ph":"X","pid":1,"tid":1,"ts":3,"dur":9,"name":"b"})";
  const TraceRead read = parse("[" + list + "]", {.threads = 1, .find_overlaps = true});
  ASSERT_EQ(broken(read), (Rules{"overlap"}));
  EXPECT_EQ(read.faults[0].first, "'b' on row '1' at 3.000 us");
}

TEST(ChromeReader, a_file_that_is_cut_off_is_read_up_to_there) {
  const std::string whole = R"({"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"},)"
                            R"({"ph":"X","pid":1,"tid":1,"ts":2,"dur":1,"name":"b"}]})";
  for (std::size_t size = 16; size + 1 < whole.size(); ++size) {
    const TraceRead read = parse(whole.substr(0, size));
    const auto rules = broken(read);
    EXPECT_TRUE(std::find(rules.begin(), rules.end(), "unterminated") != rules.end()) << size;
    EXPECT_LE(read.trace.events().size(), 2u);
  }
}

TEST(ChromeReader, what_is_no_trace_is_refused_in_one_sentence) {
  for (const auto& [text, why] : std::initializer_list<std::pair<const char*, std::string>>{
           {"", "the file is empty"},
           {"  \n", "the file is empty"},
           {"{", "the file ends before its list of events"},
           {"{\"traceEvents\"", "the file ends before its list of events"},
           {"{}", "the JSON has no 'traceEvents'"},
           {"{\"a\":1}", "the JSON has no 'traceEvents'"},
           {"{\"traceEvents\":5}", "the JSON has no 'traceEvents'"},
           {"null", "this is not JSON"},
           {"MThd", "this is not JSON"},
           {"{5}", "this is not JSON"},
           {"\x1f\x8b", "the compressed data is truncated"},
           {"\x1f\x8b\x08 garbage that is not compressed data", "the compressed data is damaged"}})
    EXPECT_EQ(refused_with([&, text = text] { parse(text); }),
              "test: " + why +
                  "; give a trace in Chrome's JSON format (a list of events, or an object with 'traceEvents') or "
                  "Perfetto's protobuf")
        << text;
  EXPECT_EQ(broken(parse("[]")), (Rules{"empty"}));
  EXPECT_EQ(broken(parse("[] x")), (Rules{"empty", "text_after_end"}));
}

TEST(ChromeReader, the_number_of_threads_and_the_windows_make_no_difference) {
  std::string list;
  for (int i = 0; i < 3000; ++i) {
    const std::string n = std::to_string(i);
    list += (i == 0       ? ""
             : i % 3 == 0 ? " ,\n"
                          : ",") +
            (R"({"ph":"X","pid":)" + std::to_string(i % 3 + 1) + R"(,"tid":")" + std::to_string(i % 7) +
             "t\",\"ts\":" + n + R"(.125,"dur":1,"name":"op )" + std::to_string(i % 50) + R"(","args":{"i":)" + n +
             R"(,"nested":[{"a":1},{"b":)" + n + "}]}}");
    if (i % 10 == 0) list += R"(,{"ph":"B","pid":9,"tid":1,"ts":)" + n + R"(,"name":"b"})";
    if (i % 10 == 9) list += R"(,{"ph":"E","pid":9,"tid":1,"ts":)" + n + "}";
  }
  const std::string text = "{\"traceEvents\":[" + list + "],\"distributedInfo\":{\"rank\":1}}";
  const TraceRead one = parse(text);
  for (const std::size_t bytes : {64u, 300u, 5000u, 100000u}) {
    for (const unsigned threads : {1u, 2u, 4u}) {
      const TraceRead other = parse(text, {.threads = threads, .window_bytes = bytes});
      ASSERT_EQ(slices(other.trace), slices(one.trace)) << bytes << " bytes, " << threads << " threads";
      ASSERT_EQ(other.trace.strings().size(), one.trace.strings().size());
      ASSERT_EQ(other.trace.rows().size(), one.trace.rows().size());
      ASSERT_EQ(other.faults.size(), one.faults.size());
      ASSERT_EQ(other.rank, 1);
      for (std::size_t i = 0; i < one.trace.events().size(); ++i) {
        const TraceArgs a = one.trace.args(one.trace.events()[i]), b = other.trace.args(other.trace.events()[i]);
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t k = 0; k < a.size(); ++k) ASSERT_EQ(a[k], b[k]);
      }
    }
  }
}

TEST(ChromeReader, an_argument_that_looks_like_an_event_does_not_mislead_it) {
  std::string list;
  for (int i = 0; i < 200; ++i) {
    list += (i == 0 ? "" : ",") + std::string(R"({"ph":"X","pid":1,"tid":1,"ts":)") + std::to_string(i) +
            R"(,"dur":1,"name":"a","args":{"list":[{"x":1},{"ph":"X"},{"name":"},{\"ph\""}]}})";
  }
  const TraceRead read = parse("[" + list + "]", {.threads = 3, .window_bytes = 256});
  EXPECT_EQ(read.trace.events().size(), 200u);
  EXPECT_TRUE(read.faults.empty());
}

TEST(ChromeReader, an_event_that_holds_others_is_one_wherever_the_windows_end) {
  std::string held;
  for (int i = 0; i < 30; ++i) held += (i == 0 ? "" : ",") + std::string(R"({"ph":"X","ts":1,"dur":1,"name":"inner"})");
  std::string list;
  for (int i = 0; i < 20; ++i)
    list += (i == 0 ? "" : ",") + std::string(R"({"ph":"X","pid":1,"tid":1,"ts":)") + std::to_string(i) +
            R"(,"dur":1,"name":"a","args":{"list":[)" + held + R"(],"text":"{ [ \\\" "}})";
  for (const unsigned threads : {1u, 3u})
    for (const std::size_t bytes : {64u, 200u, 700u, 1500u}) {
      const TraceRead read = parse("[" + list + "]", {.threads = threads, .window_bytes = bytes});
      EXPECT_EQ(read.trace.events().size(), 20u) << threads << " " << bytes;
      EXPECT_TRUE(read.faults.empty()) << threads << " " << bytes;
    }
}

TEST(ChromeReader, blanks_of_any_length_stand_between_events_and_behind_them) {
  const std::string blanks(3'000'000, ' '), event = R"({"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"})";
  for (const std::string& text : {"[" + blanks + event + "," + blanks + event + blanks + "]" + blanks,
                                  blanks + "{\"traceEvents\":[" + event + blanks + "," + event + blanks + "]}"})
    for (const unsigned threads : {1u, 3u})
      for (const std::size_t bytes : {200u, 100000u}) {
        const TraceRead read = parse(text, {.threads = threads, .window_bytes = bytes});
        EXPECT_EQ(read.trace.events().size(), 2u) << threads << " " << bytes;
        EXPECT_EQ(broken(read), Rules{}) << threads << " " << bytes;
      }
}

TEST(ChromeReader, what_is_nested_without_end_beside_the_events_is_left_out) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  for (const char* key : {"metadata", "distributedInfo", "notes"}) {
    const TraceRead read = parse("{\"" + std::string(key) + "\": {\"rank\": " + deep +
                                 R"(}, "traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"}]})");
    EXPECT_EQ(read.trace.events().size(), 1u);
    EXPECT_EQ(read.trace.property(key), nullptr);
  }
}

TEST(ChromeReader, a_broken_event_costs_no_other_wherever_the_windows_end) {
  std::string list;
  for (int i = 0; i < 60; ++i)
    list += (i == 0 ? "" : ",\n") + std::string(i % 20 == 10 ? R"({"ph":"X","pid":1,"tid":1,"ts":oops},)" : "") +
            R"({"ph":"X","pid":1,"tid":1,"ts":)" + std::to_string(i) + R"(,"dur":1,"name":"a"})";
  for (const unsigned threads : {1u, 3u})
    for (const std::size_t bytes : {64u, 200u, 700u, 100000u})
      EXPECT_EQ(parse("[" + list + "]", {.threads = threads, .window_bytes = bytes}).trace.events().size(), 60u)
          << threads << " " << bytes;
}

// FNV-1a of "grad": 64 bits, the same whatever the standard library's own hash does.
TEST(ChromeReader, a_text_that_binds_arrows_is_the_same_number_everywhere) {
  const auto read =
      parse_chrome_trace(R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2,"bind_id":"grad","flow_out":true}])");
  ASSERT_EQ(read.trace.flows().size(), 1U);
  EXPECT_EQ(read.trace.flows()[0].bind_id, 18117857546863908793ULL);
}

// The windows are cut and read before anybody knows that the list has ended in one of the first.
TEST(ChromeReader, what_looks_like_events_behind_the_list_is_none) {
  std::string notes;
  for (int i = 0; i < 2000; ++i)
    notes += (i == 0 ? "" : ",") + std::string(R"({"ph":"X","pid":1,"tid":1,"ts":)") + std::to_string(i) +
             R"(,"dur":1,"name":"b"})";
  const std::string list = R"({"ph":"X","pid":1,"tid":1,"ts":0,"dur":1,"name":"a"})";
  const std::string text = "{\"traceEvents\":[" + list + "],\"notes\":[" + notes + "]}";
  for (const unsigned threads : {1u, 4u})
    EXPECT_EQ(slices(parse(text, {.threads = threads, .window_bytes = 300}).trace), (Slices{"a 0 1000"})) << threads;
}

}  // namespace
}  // namespace takt
