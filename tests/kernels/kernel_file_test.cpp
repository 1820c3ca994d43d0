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
  EXPECT_THAT(refusal("{}"), HasSubstr("is no file of kernels"));
  EXPECT_THAT(refusal(with(text, "\"takt_kernels\": 1", "\"takt_kernels\": 2")), HasSubstr("use a later takt"));
  EXPECT_THAT(refusal(with(text, "\"layout\":", "\"lay\":")), HasSubstr("'lay' has no meaning"));
  EXPECT_THAT(refusal(with(text, "\"layout\":\"nchwc\",", "")), HasSubstr("has no 'layout'"));
  EXPECT_THAT(refusal(with(text, "\"layout\":\"nchwc\"", "\"layout\":7")), HasSubstr("give a text"));
  EXPECT_THAT(refusal(with(text, "[1,16,8,8]", "[1,17,8,8]")), HasSubstr("is not called so"));
  EXPECT_THAT(refusal(with(text, "[1,16,8,8]", "[1,-16,8,8]")), HasSubstr("whole number from 0"));
  EXPECT_THAT(refusal(with(text, "[1,16,8,8]", "[1099511627776,16,8,8]")), HasSubstr("more than 2^40"));
  EXPECT_THAT(refusal(with(text, "\"float32\"", "\"float31\"")), HasSubstr("'float31' is no type"));
  EXPECT_THAT(refusal(with(text, "\"values\":[6.0]", "\"values\":[6.0,7.0]")), HasSubstr("2 numbers"));
  EXPECT_THAT(refusal(with(text, "{\"ints\":[3,3]}", "{\"intz\":[3,3]}")), HasSubstr("no kind of attribute"));
  EXPECT_THAT(refusal(with(text, "\"producers\":[0]", "\"producers\":[1]")),
              HasSubstr("not those that its tensors name"));
  EXPECT_THAT(refusal(with(text, "\"name\":\"clip\"", "\"name\":\"conv\"")), HasSubstr("name of another one"));
  EXPECT_THAT(refusal(with(text, "\"record\":\"Clip", "\"record\":\"Clop")), HasSubstr("not in the file"));
  EXPECT_THAT(refusal(with(text, "\"outputs\":[\"d\"]", "\"outputs\":[\"d\",\"e\"]")), HasSubstr("as many tensors"));
  EXPECT_THAT(refusal(with(text, "\"flops\":295936.0", "\"flops\":-1")), HasSubstr("number from 0, or null"));
  EXPECT_THAT(refusal(R"({"takt": 3, "takt_kernels": 1, "records": {}, "models": []})"),
              HasSubstr("'takt' is no object"));
}

TEST(KernelFile, records_that_cannot_be_are_refused) {
  const std::string text = text_of(small_file());
  EXPECT_THAT(refusal(with(text, "{\"ints\":[3,3]}", "[3,3]")), HasSubstr("is [3,3]; write one of int, float"));
  EXPECT_THAT(refusal(with(text, "{\"floats\":[]}", "{\"floats\":[\"big\"]}")), HasSubstr("give a number, or \"inf\""));
  EXPECT_THAT(refusal(with(text, "\"kind\":\"weight\"", "\"kind\":\"wait\"")),
              HasSubstr("'kind' is 'wait'; use weight or activation"));
  EXPECT_THAT(refusal(with(text, "\"values\":[6.0]", "\"values\":[6.0],\"low\":2")), HasSubstr("are no range"));
  EXPECT_THAT(refusal(with(text, "\"values\":[6.0]", "\"values\":[6.0],\"low\":2,\"high\":1")),
              HasSubstr("give both, the smaller one first"));
  EXPECT_THAT(refusal(with(text, "\"values\":[6.0]", "\"values\":[6.0],\"same_as\":7")),
              HasSubstr("'same_as' is 7, which is no tensor before it"));
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
