#include "predict/kernels/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/basics/error.h"
#include "predict/kernels/record_json.h"
#include "predict/kernels/records.h"
#include "predict/kernels/tensor_numbers.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string text_of(const KernelFile& file) { return kernel_file_json(file, {}); }

std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text) {
  try {
    parse_kernel_file(text, "file.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("file.json"));
    return error.what();
  }
  return "accepted";
}

TEST(KernelFile, what_is_written_is_read_again) {
  const KernelFile file = small_file();
  const std::string text = text_of(file);
  EXPECT_EQ(text_of(parse_kernel_file(text, "file.json")), text);
}

TEST(KernelFile, a_record_keeps_all_that_its_node_says) {
  const KernelFile read = parse_kernel_file(text_of(small_file()), "file.json");
  const KernelRecord& conv = read.records.at(id_of(blocked_conv()));
  EXPECT_EQ(conv.attributes, blocked_conv().attributes);  // an empty list of floats stays one
  EXPECT_EQ(conv.cost.flops, 295936);
  EXPECT_EQ(conv.cost.bytes, std::nullopt);
  const KernelRecord& clipped = read.records.at(id_of(clip()));
  EXPECT_EQ(clipped.inputs[1].kind, KernelInput::left_out);
  EXPECT_EQ(clipped.inputs[2].values, to_bytes(std::vector<float>{6}));
}

TEST(KernelFile, numbers_that_json_lacks_survive) {
  KernelRecord record = clip();
  record.inputs[2].values = to_bytes(std::vector<float>{std::numeric_limits<float>::infinity()});
  record.attributes["alpha"] = -std::numeric_limits<float>::infinity();
  const KernelFile file{{{id_of(record), record}}, {}};
  const KernelRecord read = parse_kernel_file(text_of(file), "file.json").records.begin()->second;
  EXPECT_EQ(read.inputs[2].values, record.inputs[2].values);
  EXPECT_EQ(read.attributes, record.attributes);
}

TEST(KernelFile, producers_and_consumers_follow_from_the_tensors) {
  const KernelFile file = small_file();
  const auto& kernels = file.models[0].kernels;
  EXPECT_THAT(kernels[0].producers, ElementsAre());
  EXPECT_THAT(kernels[0].consumers, ElementsAre(1, 2));
  EXPECT_THAT(kernels[2].producers, ElementsAre(0, 1));
}

TEST(KernelFile, an_id_is_of_all_that_decides_the_time) {
  const std::string id = id_of(blocked_conv());
  EXPECT_THAT(id, testing::StartsWith("Conv_Add_Relu_1x16x8x8_"));
  KernelRecord other = blocked_conv();
  other.attributes["pads"] = std::vector<std::int64_t>{0, 0, 0, 0};
  EXPECT_NE(id_of(other), id);
  other = blocked_conv(), other.layout = "";
  EXPECT_NE(id_of(other), id);
  other = blocked_conv(), other.inputs[3].same_as = 0;
  EXPECT_NE(id_of(other), id);
  other = blocked_conv(), other.cost.flops = 1, other.opsets[""] = 18, other.ir_version = 9;
  EXPECT_EQ(id_of(other), id);
}

TEST(KernelFile, a_hostile_name_makes_a_harmless_file_name) {
  KernelRecord record = clip();
  record.name = "../../etc/" + std::string(1000, 'x');
  const std::string id = id_of(record);
  EXPECT_EQ(id.find('/'), std::string::npos);
  EXPECT_EQ(id.find('.'), std::string::npos);
  EXPECT_LT(id.size(), 200u);
}

TEST(KernelFile, wrong_files_are_refused_with_the_place) {
  const std::string text = text_of(small_file());
  EXPECT_THAT(refusal("{}"), HasSubstr("is not a file of kernels"));
  EXPECT_THAT(refusal(with(text, "\"takt_kernels\": 1", "\"takt_kernels\": 2")), HasSubstr("use a newer one"));
  EXPECT_THAT(refusal(with(text, "\"layout\":", "\"lay\":")), HasSubstr("'lay' is not a known key"));
  EXPECT_THAT(refusal(with(text, "\"layout\":\"nchwc\",", "")), HasSubstr("has no 'layout'"));
  EXPECT_THAT(refusal(with(text, "\"layout\":\"nchwc\"", "\"layout\":7")), HasSubstr("give a string"));
  EXPECT_THAT(refusal(with(text, "[1,16,8,8]", "[1,17,8,8]")), HasSubstr("has the wrong name"));
  EXPECT_THAT(refusal(with(text, "[1,16,8,8]", "[1,-16,8,8]")), HasSubstr("whole number from 0"));
  EXPECT_THAT(refusal(with(text, "[1,16,8,8]", "[1099511627776,16,8,8]")), HasSubstr("more than 2^40"));
  EXPECT_THAT(refusal(with(text, "\"float32\"", "\"float31\"")), HasSubstr("'float31' is not a number type"));
  EXPECT_THAT(refusal(with(text, "\"values\":[6.0]", "\"values\":[6.0,7.0]")), HasSubstr("2 numbers"));
  EXPECT_THAT(refusal(with(text, "{\"ints\":[3,3]}", "{\"intz\":[3,3]}")), HasSubstr("not a kind of attribute"));
  EXPECT_THAT(refusal(with(text, "\"producers\":[0]", "\"producers\":[1]")), HasSubstr("do not match its tensors"));
  EXPECT_THAT(refusal(with(text, "\"name\":\"clip\"", "\"name\":\"conv\"")), HasSubstr("same name as another one"));
  EXPECT_THAT(refusal(with(text, "\"record\":\"Clip", "\"record\":\"Clop")), HasSubstr("not in the file"));
  EXPECT_THAT(refusal(with(text, "\"outputs\":[\"d\"]", "\"outputs\":[\"d\",\"e\"]")),
              HasSubstr("in the number of tensors"));
  EXPECT_THAT(refusal(with(text, "\"flops\":295936.0", "\"flops\":-1")), HasSubstr("number from 0, or null"));
  EXPECT_THAT(refusal(R"({"takt": 3, "takt_kernels": 1, "records": {}, "models": []})"),
              HasSubstr("'takt' is not an object"));
}

/// "accepted" or what is wrong with a record whose value behind the keys is another.
std::string with_value(const std::string& place, const nlohmann::ordered_json& value, KernelRecord record = clip()) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(record_json(record).dump());
  json[nlohmann::ordered_json::json_pointer(place)] = value;
  try {
    record_in(nlohmann::json::parse(json.dump()), "r");
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(KernelRecord, numbers_are_taken_up_to_their_borders) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                         least = std::numeric_limits<std::int64_t>::min();
  for (const char* key : {"/flops", "/sfu_ops", "/bytes", "/weight_bytes", "/input_bytes", "/output_bytes"}) {
    EXPECT_EQ(with_value(key, 0), "accepted") << key;
    EXPECT_EQ(with_value(key, nullptr), "accepted") << key;
    EXPECT_NE(with_value(key, -1), "accepted") << key;
    EXPECT_NE(with_value(key, "1"), "accepted") << key;
  }
  EXPECT_EQ(with_value("/bytes", most), "accepted");
  EXPECT_EQ(with_value("/flops", -0.5), "r: 'flops' is -0.5; give a number from 0, or null");
  EXPECT_EQ(with_value("/opsets/a", 1), "accepted");
  EXPECT_EQ(with_value("/opsets/a", 1'000'000), "accepted");
  EXPECT_EQ(with_value("/opsets/a", 0), "r: 'opsets' is 0; give a whole number from 1 to 1000000");
  EXPECT_EQ(with_value("/opsets/a", 1'000'001), "r: 'opsets' is 1000001; give a whole number from 1 to 1000000");
  EXPECT_EQ(with_value("/ir_version", 1000), "accepted");
  EXPECT_EQ(with_value("/ir_version", 1), "accepted");
  EXPECT_EQ(with_value("/ir_version", 1001), "r: 'ir_version' is 1001; give a whole number from 1 to 1000");
  EXPECT_EQ(with_value("/ir_version", 0), "r: 'ir_version' is 0; give a whole number from 1 to 1000");
  EXPECT_EQ(with_value("/attributes/a", {{"int", most}}), "accepted");
  EXPECT_EQ(with_value("/attributes/a", {{"int", least}}), "accepted");
  EXPECT_EQ(with_value("/attributes/a", {{"ints", {least, most}}}), "accepted");
  EXPECT_EQ(with_value("/attributes/a", {{"ints", 1}}), "r: attribute 'a' is 1; give a list");
  EXPECT_EQ(
      with_value("/attributes/a", {{"int", 1}, {"text", "x"}}),
      "r: attribute 'a' is {\"int\":1,\"text\":\"x\"}; write one of int, float, text, ints, floats, texts with its "
      "value");
  EXPECT_EQ(with_value("/attributes/a", {{"intz", 1}}),
            "r: attribute 'a': 'intz' is not a kind of attribute; use int, float, text, ints, floats or texts");
  EXPECT_EQ(with_value("/attributes/a", {{"texts", {"x", 1}}}), "r: attribute 'a' is 1; give a string");
  const std::string shape = "/inputs/0/shape", place = "r: 'inputs' 0: 'shape'";
  EXPECT_EQ(with_value(shape, std::vector<std::int64_t>{1LL << 40}), "accepted");
  EXPECT_EQ(with_value(shape, std::vector<std::int64_t>{(1LL << 40) + 1}),
            place + " is 1099511627777; give a whole number from 0 to 1099511627776");
  EXPECT_EQ(with_value(shape, {1 << 20, 1 << 20}), "accepted");
  EXPECT_EQ(with_value(shape, {1 << 20, (1 << 20) + 1}),
            place + " is [1048576,1048577], which is more than 2^40 elements or 64 dimensions");
  EXPECT_EQ(with_value(shape, std::vector<int>(64, 1)), "accepted");
  EXPECT_NE(with_value(shape, std::vector<int>(65, 1)), "accepted");
  EXPECT_EQ(with_value("/inputs/0/low", 3),
            "r: 'inputs' 0: 'low' and 'high' are not a range; give both, the smaller one first");
  EXPECT_EQ(with_value("/inputs/0/same_as", 0),
            "r: 'inputs' 0: 'same_as' is 0, which is not an earlier tensor of its type and shape");
}

TEST(KernelRecord, the_same_tensor_again_has_its_type_and_shape) {
  KernelRecord record = blocked_conv();
  EXPECT_EQ(with_value("/inputs/3/same_as", 0, record), "accepted");
  EXPECT_NE(with_value("/inputs/3/same_as", 1, record), "accepted") << "another shape";
  EXPECT_NE(with_value("/inputs/3/same_as", 3, record), "accepted") << "itself";
  record.inputs[0].type = ElementType::f16;
  EXPECT_NE(with_value("/inputs/3/same_as", 0, record), "accepted") << "another type";
  record.inputs[1].low = record.inputs[1].high = 4;
  EXPECT_EQ(with_value("/ir_version", 9, record), "accepted") << "a range of one number";
}

TEST(KernelRecord, each_of_its_parts_comes_back_to_its_place) {
  KernelRecord record = blocked_conv();
  record.attributes = {{"a", std::int64_t{-7}},
                       {"b", 0.25F},
                       {"c", std::string("text")},
                       {"d", std::vector<std::int64_t>{1, -2}},
                       {"e", std::vector<float>{0.5F, -0.5F}},
                       {"f", std::vector<std::string>{"x", ""}}};
  record.inputs[1].low = -5, record.inputs[1].high = 6;
  record.inputs[3].same_as = 0;
  record.outputs.push_back(left_out());
  record.cost.flops = 1.5, record.cost.sfu_ops = 2.5, record.cost.bytes = 3, record.cost.weight_bytes = 4;
  record.cost.input_bytes = 5, record.cost.output_bytes = 6;
  record.obstacle = "why";
  const std::string text = record_json(record).dump();
  const KernelRecord read = record_in(nlohmann::json::parse(text), "r");
  EXPECT_EQ(record_json(read).dump(), text);
  EXPECT_EQ(read.attributes, record.attributes);
  EXPECT_EQ(read.cost.flops, 1.5);
  EXPECT_EQ(read.cost.sfu_ops, 2.5);
  EXPECT_EQ(read.cost.bytes, 3);
  EXPECT_EQ(read.cost.weight_bytes, 4);
  EXPECT_EQ(read.cost.input_bytes, 5);
  EXPECT_EQ(read.cost.output_bytes, 6);
  EXPECT_EQ(read.obstacle, "why");
  EXPECT_EQ(read.inputs[1].low, -5);
  EXPECT_EQ(read.inputs[1].high, 6);
}

TEST(KernelRecord, its_id_is_short_and_of_letters_digits_and_two_signs) {
  KernelRecord record = clip();
  EXPECT_EQ(id_of(record).substr(0, 14), "Clip_1x16x8x8_");
  EXPECT_EQ(id_of(record).size(), 14u + 16);
  record.name = std::string(79, 'a') + "bc";
  EXPECT_TRUE(id_of(record).starts_with(std::string(79, 'a') + "b_1x16x8x8_")) << "80 letters of a name";
  record.name = "a b/c.d_e-f9";
  EXPECT_TRUE(id_of(record).starts_with("a-b-c-d_e-f9_")) << id_of(record);
  record.name = "", record.outputs = {left_out()};
  EXPECT_EQ(id_of(record).size(), std::string("kernel_").size() + 16) << id_of(record);
  EXPECT_TRUE(id_of(record).starts_with("kernel_"));
  EXPECT_EQ(shape_text({left_out(), activation({}), activation({2})}), "scalar");
  EXPECT_EQ(shape_text({activation({2, 3})}), "2x3");
  EXPECT_EQ(shape_text({left_out()}), "");
}

TEST(KernelFile, models_and_their_kernels_come_back_to_their_places) {
  KernelFile file = small_file();
  file.models[0].kernels[1].model_ops = {"op_a", "op_b"};
  file.models[0].inputs = {"x", "y"}, file.models[0].outputs = {"z", "v", "w"};
  const KernelGraph read = parse_kernel_file(text_of(file), "file.json").models.at(0);
  EXPECT_EQ(read.model + " " + read.runtime + " " + read.version + " " + read.device,
            "small.onnx onnxruntime 1.31.1 CPU");
  EXPECT_THAT(read.inputs, ElementsAre("x", "y"));
  EXPECT_THAT(read.outputs, ElementsAre("z", "v", "w"));
  EXPECT_THAT(read.kernels[1].model_ops, ElementsAre("op_a", "op_b"));
  EXPECT_THAT(read.kernels[1].inputs, ElementsAre("c", "", "six"));
  EXPECT_THAT(read.kernels[1].outputs, ElementsAre("d"));
  EXPECT_EQ(read.kernels[2].record, id_of(blocked_conv()));
}

TEST(KernelFile, is_told_by_the_end_of_its_name) {
  EXPECT_TRUE(is_kernel_file("a/b.json"));
  EXPECT_TRUE(is_kernel_file("B.JSON"));
  EXPECT_FALSE(is_kernel_file("json"));
  EXPECT_FALSE(is_kernel_file("b.onnx"));
}

TEST(KernelGraph, connections_follow_from_the_first_that_makes_a_tensor) {
  KernelGraph graph;
  graph.kernels = {{"a", "", {"x", ""}, {"t", ""}, {7}, {8}, {}},
                   {"b", "", {"t", "t"}, {"t", "u"}, {}, {}, {}},
                   {"c", "", {"u", "t", ""}, {"v"}, {}, {}, {}}};
  connect(graph);
  EXPECT_THAT(graph.kernels[0].producers, ElementsAre());
  EXPECT_THAT(graph.kernels[0].consumers, ElementsAre(1, 2));
  EXPECT_THAT(graph.kernels[1].producers, ElementsAre(0)) << "once, though it reads it twice";
  EXPECT_THAT(graph.kernels[1].consumers, ElementsAre(2));
  EXPECT_THAT(graph.kernels[2].producers, ElementsAre(0, 1)) << "ascending";
}

TEST(KernelFile, records_that_cannot_be_are_refused) {
  const std::string text = text_of(small_file());
  EXPECT_THAT(refusal(with(text, "{\"ints\":[3,3]}", "[3,3]")), HasSubstr("is [3,3]; write one of int, float"));
  EXPECT_THAT(refusal(with(text, "{\"floats\":[]}", "{\"floats\":[\"big\"]}")), HasSubstr("give a number, or \"inf\""));
  EXPECT_THAT(refusal(with(text, "\"kind\":\"weight\"", "\"kind\":\"wait\"")),
              HasSubstr("'kind' is 'wait'; use weight or activation"));
  EXPECT_THAT(refusal(with(text, "\"values\":[6.0]", "\"values\":[6.0],\"low\":2")), HasSubstr("are not a range"));
  EXPECT_THAT(refusal(with(text, "\"values\":[6.0]", "\"values\":[6.0],\"low\":2,\"high\":1")),
              HasSubstr("give both, the smaller one first"));
  EXPECT_THAT(refusal(with(text, "\"values\":[6.0]", "\"values\":[6.0],\"same_as\":7")),
              HasSubstr("'same_as' is 7, which is not an earlier tensor"));
  EXPECT_THAT(refusal(with(text, "\"type\":\"Clip\"", "\"type\":\"\"")), HasSubstr("'name' or 'type' is empty"));
  std::string nothing = "\"inputs\":[";
  for (int i = 0; i < 100'001; ++i) nothing += "null,";
  EXPECT_THAT(refusal(with(text, "\"inputs\":[", nothing)), HasSubstr("'inputs' has more than 100000 tensors"));
  std::string texts = text;  // of the tensor that has values
  texts.replace(texts.rfind("float32", texts.find("\"values\":[6.0]")), 7, "string");
  EXPECT_THAT(refusal(texts), HasSubstr("has 'values' of string"));
}

TEST(KernelFile, a_folder_has_a_file_for_each_record_and_each_model) {
  const TestFolder folder;
  const auto paths = write_kernel_files(small_file(), folder.path(), {});
  EXPECT_THAT(paths, ElementsAre(folder / "small.kernels.json"));
  EXPECT_EQ(text_of(read_kernel_file(paths[0])), text_of(small_file()));
  const KernelFile one = read_kernel_file(folder.path() / "small" / (id_of(clip()) + ".json"));
  EXPECT_EQ(one.records.size(), 1u);
  EXPECT_TRUE(one.models.empty());
  const auto before = std::filesystem::last_write_time(paths[0]);
  write_kernel_files(small_file(), folder.path(), {});
  EXPECT_EQ(std::filesystem::last_write_time(paths[0]), before);
}

TEST(KernelFile, two_models_of_one_name_are_not_mixed) {
  KernelFile file = small_file();
  file.models.push_back(file.models[0]);
  const TestFolder folder;
  EXPECT_THROW(write_kernel_files(file, folder.path(), {}), Error);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(TensorNumbers, hold_what_their_type_holds_and_no_more) {
  using Json = nlohmann::json;
  const auto comes_back = [](ElementType type, const Json& list) {
    try {
      return numbers_json(type, numbers_in(list, type, list.size(), "x")) == list;
    } catch (const Error&) {
      return false;
    }
  };
  struct Case {
    ElementType type;
    std::int64_t least, most;
  };
  for (const auto& [type, least, most] :
       {Case{ElementType::i8, -128, 127}, Case{ElementType::u8, 0, 255}, Case{ElementType::i16, -32768, 32767},
        Case{ElementType::u16, 0, 65535}, Case{ElementType::i32, -2147483648LL, 2147483647},
        Case{ElementType::u32, 0, 4294967295LL}, Case{ElementType::boolean, 0, 1}}) {
    EXPECT_TRUE(comes_back(type, {least, most, 1})) << type_name(type);
    EXPECT_FALSE(comes_back(type, {least - 1})) << type_name(type);
    EXPECT_FALSE(comes_back(type, {most + 1})) << type_name(type);
    EXPECT_FALSE(comes_back(type, {0.5})) << type_name(type);
  }
  EXPECT_TRUE(comes_back(ElementType::i64, {INT64_MIN, INT64_MAX}));
  EXPECT_TRUE(comes_back(ElementType::f32, {0.5, "inf", "-inf", "nan"}));
  EXPECT_TRUE(comes_back(ElementType::f32, {static_cast<double>(std::numeric_limits<float>::max())}));
  EXPECT_FALSE(comes_back(ElementType::f32, {3.5e38}));
  EXPECT_TRUE(comes_back(ElementType::f64, {1e308, -1e308}));
  EXPECT_FALSE(comes_back(ElementType::f32, {"infinite"}));
  EXPECT_THROW(numbers_in({1, 2}, ElementType::f32, 3, "x"), Error);
  EXPECT_THROW(numbers_in({1, 2}, ElementType::f32, 1, "x"), Error);
  EXPECT_FALSE(has_json_numbers(ElementType::f16));
  EXPECT_EQ(type_named(std::string(type_name(ElementType::i2))), ElementType::i2) << "the last of them";
  EXPECT_EQ(type_named("float32"), ElementType::f32);
  EXPECT_EQ(type_named("float"), ElementType::undefined);
}

}  // namespace
}  // namespace takt
