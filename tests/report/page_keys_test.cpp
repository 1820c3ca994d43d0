// What the page is given: every key with its value.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/system/version.h"
#include "report/page/page.h"

namespace takt {
namespace {

/// A table of one row, with every kind of cell.
ReportTable table() {
  ReportTable one;
  one.schema.sentence = "a sentence";
  one.schema.named_rows = {{"[start]", "of no stage"}};
  one.table.name = "stages";
  const std::vector<Cell> cells{Cell(), Duration(1.5), std::string("a"), std::int64_t{3}, 4.5};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string number = std::to_string(i);
    one.table.columns.push_back({"key" + number, "title" + number, "meaning" + number});
  }
  one.table.rows = {cells};
  return one;
}

ReportResult result() {
  ReportResult one;
  one.name = "a.json", one.headline = "it takes", one.lede = "and more";
  one.origin = {{"machine", "Intel"}};
  one.facts = {{{"fact", "Fact", "what it is"}, 2.5}};
  const std::vector<ReportPart> parts{{"run", "busy", Duration(11)}, {"wait", "wait-starved", Duration(12)}};
  one.board = ReportBoard{Duration(21), {}, "bound"};
  one.board->stations = {{"infer", "CPU", "k1", Duration(22), Duration(23), Duration(24), Duration(25), parts},
                         {"post", "GPU", "k2", Duration(26), {}, {}, {}, {}}};
  one.bars = {{"devices", "a run", "= all", Duration(31), parts}};
  one.runs = {Duration(41), Duration(42)};
  one.run_marks = {{"p90", Duration(43)}};
  one.steps = {{"conv", "Conv", "k1", Duration(51), 52}, {"relu", "Relu", "k4", Duration(53), {}}};
  one.steps[0].block = 1;
  one.blocks = {{"enc", {}, 54, Duration(55)}, {"layer.0", 0, 56, Duration(57)}};
  one.roofs = {{"DRAM", true, 61}};
  one.points = {{"1", "CPU", 71, 72, Duration(73), Duration(74), Duration(75), Duration(76)},
                {"2", "GPU", 77, 78, Duration(79), {}, {}, {}}};
  one.what_if = {{{"infer", {{"stage.infer.time", "time", {"x0.5", "x1"}, 1}}, table()}}, "takt pipeline", "t", "m"};
  one.titles = {{"board", "none to spare"}};
  one.missing = {"no roofs"};
  one.tables = {table()};
  return one;
}

TEST(Keys, of_a_page) {
  const auto page = nlohmann::json::parse(page_data({result()}, "takt report a.json"));
  EXPECT_EQ(page["command"], "takt report a.json");
  EXPECT_EQ(page["takt_version"], version);
  const auto table_json = nlohmann::json::parse(R"({"name": "stages", "sentence": "a sentence",
    "named_rows": {"[start]": "of no stage"}, "columns": [
    {"key": "key0", "title": "title0", "meaning": "meaning0", "values": [null]},
    {"key": "key1", "title": "title1", "meaning": "meaning1", "values": [1.5]},
    {"key": "key2", "title": "title2", "meaning": "meaning2", "values": ["a"]},
    {"key": "key3", "title": "title3", "meaning": "meaning3", "values": [3]},
    {"key": "key4", "title": "title4", "meaning": "meaning4", "values": [4.5]}]})");
  auto expected = nlohmann::json::parse(R"({"name": "a.json", "headline": "it takes", "lede": "and more",
    "origin": [{"label": "machine", "value": "Intel"}],
    "facts": [{"label": "Fact", "key": "fact", "meaning": "what it is", "value": 2.5}],
    "board": {"cycle": 21, "binds": "bound", "stations": [
      {"name": "infer", "devices": "CPU", "kind": "k1", "load": 22, "spare": 23, "queue_wait": 24, "held": 25,
       "parts": [{"label": "run", "kind": "busy", "value": 11}, {"label": "wait", "kind": "wait-starved", "value": 12}]},
      {"name": "post", "devices": "GPU", "kind": "k2", "load": 26, "spare": null, "queue_wait": null, "held": null,
       "parts": []}]},
    "bars": [{"view": "devices", "title": "a run", "whole": 31, "whole_label": "= all",
      "parts": [{"label": "run", "kind": "busy", "value": 11}, {"label": "wait", "kind": "wait-starved", "value": 12}]}],
    "runs_us": [41, 42], "run_marks": [{"label": "p90", "value": 43}],
    "steps": {"name": ["conv", "relu"], "type": ["Conv", "Relu"], "kind": ["k1", "k4"], "time": [51, 53],
              "alive": [52, null], "level": [0, 0], "reads": [[], []], "on_chain": [false, false], "block": [1, null]},
    "blocks": [{"name": "enc", "parent": null, "steps": 54, "time": 55}, {"name": "layer.0", "parent": 0, "steps": 56, "time": 57}],
    "roofs": [{"label": "DRAM", "is_memory": true, "giga_per_s": 61}],
    "points": [{"stage": "1", "unit": "CPU", "nodes": 71, "edges": 72, "size": 143, "measured": 73, "law": 74,
                "law_low": 75, "law_high": 76},
               {"stage": "2", "unit": "GPU", "nodes": 77, "edges": 78, "size": 155, "measured": 79, "law": null,
                "law_low": null, "law_high": null}],
    "what_if_command": "takt pipeline", "titles": {"board": "none to spare"}, "missing": ["no roofs"]})");
  expected["tables"].push_back(table_json);
  expected["what_ifs"].push_back(nlohmann::json::parse(R"({"name": "infer", "knobs": [
    {"key": "stage.infer.time", "label": "time", "values": ["x0.5", "x1"], "recorded": 1}]})"));
  expected["what_ifs"][0]["answers"] = table_json;
  const auto& made = page["results"][0];
  EXPECT_EQ(made, expected) << nlohmann::json::diff(expected, made).dump(1);
}

TEST(Keys, of_a_timeline) {
  ReportTimeline timeline;
  timeline.begin = Nanoseconds(11), timeline.length_ns = 40, timeline.left_out = 13,
  timeline.note = "spans are left out";
  timeline.ranks = {{"a.json", 14}};
  timeline.kinds = {{"k1", "convolution"}, {"k2", "matrix product"}};
  timeline.names = {{"conv", 1}, {"mm", 0}};
  timeline.rows = {{"GPU", "stream 7", true, {{{0, 8, 1}}, {{8, 4, 0}, {16, 24, 1}}}}, {"python", "main", false, {}}};
  std::string bytes;
  const auto made = timeline_json(timeline, bytes);
  EXPECT_EQ(timeline.spans(), 3u);
  EXPECT_EQ(made, nlohmann::json::parse(R"({"begin_ns": 11, "length_ns": 40, "unit_ns": 4, "left_out": 13,
    "note": "spans are left out", "ranks": [{"file": "a.json", "begin_ns": 14}], "names": ["conv", "mm"], "kind_of_name": [1, 0],
    "kinds": [{"colour": "k1", "label": "convolution"}, {"colour": "k2", "label": "matrix product"}],
    "rows": [{"process": "GPU", "name": "stream 7", "is_device": true, "levels": [1, 2]},
             {"process": "python", "name": "main", "is_device": false, "levels": []}],
    "columns": {"steps": 0, "durations": 3, "names": 6, "flows": 9}, "flows": 0, "counters": []})"));
  EXPECT_EQ(bytes, std::string("\0\2\1"
                               "\2\1\6"
                               "\1\0\1",
                               9));
}

TEST(Page, has_its_title_without_markup) {
  ReportResult one = result();
  one.headline = std::string("a<b> & c@DATA@\0", 15);
  const std::string page = page_html({one}, "takt report");
  EXPECT_NE(page.find("a&lt;b> &amp; c@DATA@<"), page.npos);
}

}  // namespace
}  // namespace takt
