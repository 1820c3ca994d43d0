// The text and the files that a dump of tensors has: whole, with what is left out and what is unknown.
#include <gmock/gmock.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/basics/error.h"
#include "measure/report/io_dump.h"
#include "model/inputs/tensor_dump.h"
#include "test_folder.h"

namespace takt {
namespace {

template <typename Value>
HostTensor tensor_of(const std::string& name, ElementType type, const std::vector<Value>& values) {
  HostTensor tensor{name, type, {static_cast<std::int64_t>(values.size())}, {}, {}};
  tensor.bytes.resize(values.size() * sizeof(Value));
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

HostTensor strings_of(const std::string& name, const std::vector<std::string>& values) {
  return {name, ElementType::string, {static_cast<std::int64_t>(values.size())}, {}, values};
}

TEST(DumpText, shows_five_values_and_dots_only_for_more) {
  EXPECT_EQ(dump_text({tensor_of<float>("x", ElementType::f32, {1, 2, 3, 4, 5})}, nullptr),
            "var0 given: name=x layout={5 float32}\n"
            " val: [1, 2, 3, 4, 5] min=1 max=5 mean=3 l2=3.32 sd=1.58\n");
  EXPECT_EQ(dump_text({tensor_of<float>("x", ElementType::f32, {1, 2, 3, 4, 5, 6})}, nullptr),
            "var0 given: name=x layout={6 float32}\n"
            " val: [1, 2, 3, 4, 5, ...] min=1 max=6 mean=3.5 l2=3.89 sd=1.87\n");
}

TEST(DumpText, has_no_deviation_of_one_value_and_no_statistics_of_none) {
  EXPECT_EQ(dump_text({tensor_of<std::int64_t>("x", ElementType::i64, {-3})}, nullptr),
            "var0 given: name=x layout={1 int64}\n val: [-3] min=-3 max=-3 mean=-3 l2=3 sd=N/A\n");
  EXPECT_EQ(dump_text({tensor_of<float>("x", ElementType::f32, {})}, nullptr),
            "var0 given: name=x layout={0 float32}\n val: []\n");
}

TEST(DumpText, shows_four_digits_of_values_and_three_of_statistics) {
  EXPECT_EQ(dump_text({tensor_of<double>("x", ElementType::f64, {1.23456, 1.23456})}, nullptr),
            "var0 given: name=x layout={2 float64}\n val: [1.235, 1.235] min=1.23 max=1.23 mean=1.23 l2=1.23 sd=0\n");
}

TEST(DumpText, quotes_strings_and_names_no_number_of_a_type_that_it_cannot_read) {
  EXPECT_EQ(dump_text({strings_of("s", {"a", "b\"c", "", "d", "e", "f"})}, nullptr),
            "var0 given: name=s layout={6 string}\n val: [\"a\", \"b\\\"c\", \"\", \"d\", \"e\", ...]\n");
  EXPECT_EQ(dump_text({tensor_of<std::uint8_t>("q", ElementType::f8e4m3fn, {1, 2})}, nullptr),
            "var0 given: name=q layout={2 float8e4m3fn}\n val: [?, ?]\n");
}

TEST(DumpText, shows_numbers_of_less_than_a_byte_from_the_low_bits_on) {
  const auto packed = [](ElementType type, std::int64_t count, const std::vector<std::uint8_t>& bytes) {
    HostTensor tensor = tensor_of<std::uint8_t>("n", type, bytes);
    tensor.shape = {count};
    return dump_text({tensor}, nullptr);
  };
  using testing::HasSubstr;
  EXPECT_THAT(packed(ElementType::i4, 3, {0x8f, 0x07}), HasSubstr(" val: [-1, -8, 7] min=-8 max=7 "));
  EXPECT_THAT(packed(ElementType::u4, 3, {0x8f, 0x07}), HasSubstr(" val: [15, 8, 7] min=7 max=15 "));
  EXPECT_THAT(packed(ElementType::i2, 4, {0xe4}), HasSubstr(" val: [0, 1, -2, -1] min=-2 max=1 "));
  EXPECT_THAT(packed(ElementType::u2, 4, {0xe4}), HasSubstr(" val: [0, 1, 2, 3] min=0 max=3 "));
  EXPECT_THAT(packed(ElementType::f4e2m1, 2, {0xf1}), HasSubstr(" val: [0.5, -6] min=-6 max=0.5 "));
}

TEST(DumpText, says_of_what_an_operator_reads_whether_it_is_dumped_constant_or_neither) {
  Graph graph;
  graph.tensors = {{"x", ElementType::f32, {}, false, {}, {}, false},
                   {"w", ElementType::f32, PartialShape{{2, ""}, {{}, ""}}, true, {}, {}, false},
                   {"h", ElementType::f32, {}, false, {}, {}, false},
                   {"y", ElementType::f32, {}, false, {}, {}, false}};
  graph.ops.push_back({"made\n", "Mix", "", {1, no_tensor, 2, 0}, {no_tensor, 3}, {}, {}, 0});
  const auto x = tensor_of<float>("x", ElementType::f32, {7}), y = tensor_of<float>("y", ElementType::f32, {8});
  EXPECT_EQ(dump_text({y, x}, &graph),
            "var0 produced: name=y layout={1 float32} owner_opr=made\\x0a{Mix}\n"
            " deps:\n"
            "  [i0]w: <constant {2,?}>\n"
            "  [i2]h: <not dumped ?>\n"
            "  [i3]var1: [7]\n"
            " val: [8] min=8 max=8 mean=8 l2=8 sd=N/A\n"
            "var1 given: name=x layout={1 float32}\n"
            " val: [7] min=7 max=7 mean=7 l2=7 sd=N/A\n");
}

TEST(DumpBinaries, number_their_files_as_the_tensors_and_leave_out_what_does_not_fit) {
  const TestFolder folder;
  const auto x = tensor_of<float>("x", ElementType::f32, {1}), y = tensor_of<float>("y", ElementType::f32, {2});
  EXPECT_EQ(dump_binaries({x, strings_of("s", {"a"}), y}, folder.path(), "run-"), 2u);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "run-000000"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "run-000001"));
  EXPECT_EQ(std::filesystem::file_size(folder.path() / "run-000002"), dump_binary(y).size());
  std::vector<HostTensor> many(17, x);
  EXPECT_EQ(dump_binaries(many, folder.path(), ""), 17u);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "000010")) << "hexadecimal";
}

TEST(DumpBinaries, make_no_folder) {
  const TestFolder folder;
  try {
    dump_binaries({}, folder.path() / "none", "");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_EQ(std::string(error.what()), (folder.path() / "none").string() + ": no such folder; make it first");
  }
}

}  // namespace
}  // namespace takt
