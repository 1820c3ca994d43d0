#include "predict/kernels/model.h"

#include <gtest/gtest.h>
#include <onnx-ml.pb.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/basics/error.h"
#include "predict/kernels/extract.h"
#include "predict/kernels/records.h"

namespace takt {
namespace {

TEST(KernelModel, has_the_node_as_the_record_says) {
  const OnnxModel model = kernel_model(blocked_conv());
  ASSERT_EQ(model.graph.ops.size(), 1u);
  const Op& op = model.graph.ops[0];
  EXPECT_EQ(op.type, "Conv");
  EXPECT_EQ(op.domain, "com.microsoft.nchwc");
  EXPECT_EQ(op.attributes, blocked_conv().attributes);
  ASSERT_EQ(op.inputs.size(), 4u);
  EXPECT_FALSE(model.graph.tensor(op.inputs[0]).is_constant);
  EXPECT_TRUE(model.graph.tensor(op.inputs[1]).is_constant);
  EXPECT_EQ(model.graph.inputs.size(), 2u);
  EXPECT_EQ(model.graph.opsets.at("com.microsoft.nchwc"), 1);
  EXPECT_EQ(model.graph.name, blocked_conv().name);
  EXPECT_EQ(op.name, blocked_conv().name);
}

TEST(KernelModel, is_the_same_to_the_byte_for_a_seed) {
  EXPECT_EQ(serialize_onnx(*kernel_model(blocked_conv()).proto), serialize_onnx(*kernel_model(blocked_conv()).proto));
  EXPECT_NE(serialize_onnx(*kernel_model(blocked_conv()).proto),
            serialize_onnx(*kernel_model(blocked_conv(), {}, 2).proto));
}

TEST(KernelModel, values_of_a_record_stand_in_it_and_inputs_may_be_left_out) {
  const OnnxModel model = kernel_model(clip());
  EXPECT_EQ(model.graph.ops[0].inputs[1], no_tensor);
  float six = 0;
  std::memcpy(&six, model.proto->graph().initializer(0).raw_data().data(), sizeof six);
  EXPECT_EQ(six, 6);
}

TEST(KernelModel, one_tensor_read_twice_is_one_input) {
  KernelRecord record = blocked_conv();
  record.inputs[3].same_as = 0;
  const OnnxModel model = kernel_model(record);
  EXPECT_EQ(model.graph.inputs.size(), 1u);
  EXPECT_EQ(model.graph.ops[0].inputs[3], model.graph.ops[0].inputs[0]);
}

TEST(KernelModel, drawn_integers_stay_in_their_range) {
  KernelRecord record = clip();
  record.name = record.type = "Gather";
  record.inputs = {activation({7, 3}), constant({500}, ElementType::i64)};
  record.inputs[1].low = -2, record.inputs[1].high = 6;
  record.outputs = {activation({500, 3})};
  const OnnxModel model = kernel_model(record);
  std::int64_t least = 100, most = -100;
  const std::string& raw = model.proto->graph().initializer(0).raw_data();
  for (std::size_t i = 0; i < 500; ++i) {
    std::int64_t value = 0;
    std::memcpy(&value, raw.data() + i * sizeof value, sizeof value);
    least = std::min(least, value), most = std::max(most, value);
  }
  EXPECT_EQ(least, -2);
  EXPECT_EQ(most, 6);
}

/// All numbers of the record's second input as it is drawn.
template <typename Number>
std::vector<Number> drawn_numbers(const Shape& shape, ElementType type, std::optional<std::int64_t> low = {},
                                  std::optional<std::int64_t> high = {}) {
  KernelRecord record = clip();
  record.name = record.type = "Thing";
  record.inputs = {activation({2}), constant(shape, type)};
  record.inputs[1].low = low, record.inputs[1].high = high;
  const OnnxModel model = kernel_model(record);
  const std::string& raw = model.proto->graph().initializer(0).raw_data();
  std::vector<Number> numbers(raw.size() / sizeof(Number));
  std::memcpy(numbers.data(), raw.data(), raw.size());
  return numbers;
}

template <typename Number>
void expect_range(const std::vector<Number>& numbers, double least, double most) {
  ASSERT_FALSE(numbers.empty());
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  EXPECT_GE(*low, least);
  EXPECT_LT(*low, least + 0.01 * (most - least));
  EXPECT_LE(*high, most);
  EXPECT_GT(*high, most - 0.01 * (most - least));
}

TEST(KernelModel, drawn_weights_have_the_scale_of_their_fan_in) {
  // The root of 3 over the fan-in: of a matrix its rows, of a convolution all but its first dimension.
  expect_range(drawn_numbers<float>({12, 400}, ElementType::f32), -0.5, 0.5);
  expect_range(drawn_numbers<float>({400, 3, 2, 2}, ElementType::f32), -0.5, 0.5);
  expect_range(drawn_numbers<float>({400, 12, 1}, ElementType::f32), -0.5, 0.5);
  expect_range(drawn_numbers<float>({1000}, ElementType::f32), 0.5, 1.5);
  expect_range(drawn_numbers<double>({48, 100}, ElementType::f64), -0.25, 0.25);
}

TEST(KernelModel, drawn_integers_of_every_type_fill_their_range) {
  const auto fills = [](const auto& numbers) {
    const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
    return std::pair<std::int64_t, std::int64_t>(*low, *high);
  };
  const std::pair<std::int64_t, std::int64_t> range(3, 9);
  EXPECT_EQ(fills(drawn_numbers<std::int64_t>({500}, ElementType::i64, 3, 9)), range);
  EXPECT_EQ(fills(drawn_numbers<std::int32_t>({500}, ElementType::i32, 3, 9)), range);
  EXPECT_EQ(fills(drawn_numbers<std::int16_t>({500}, ElementType::i16, 3, 9)), range);
  EXPECT_EQ(fills(drawn_numbers<std::uint16_t>({500}, ElementType::u16, 3, 9)), range);
  EXPECT_EQ(fills(drawn_numbers<std::int8_t>({500}, ElementType::i8, 3, 9)), range);
  EXPECT_EQ(fills(drawn_numbers<std::uint8_t>({500}, ElementType::u8, 3, 9)), range);
  EXPECT_EQ(fills(drawn_numbers<std::int32_t>({5}, ElementType::i32, 4, 4)),
            (std::pair<std::int64_t, std::int64_t>(4, 4)));
}

TEST(KernelModel, weights_may_come_from_elsewhere_and_else_each_is_drawn_anew) {
  KernelRecord record = clip();
  record.name = record.type = "Thing";
  record.inputs = {activation({2}), constant({3, 3}), constant({3, 3})};
  const OnnxModel drawn = kernel_model(record);
  EXPECT_NE(drawn.proto->graph().initializer(0).raw_data(), drawn.proto->graph().initializer(1).raw_data());
  onnx::TensorProto own;
  own.set_data_type(onnx::TensorProto::FLOAT), own.add_dims(3), own.add_dims(3);
  own.set_raw_data(std::string(36, '\1'));
  const OnnxModel given = kernel_model(record, [&](std::size_t place) { return place == 2 ? &own : nullptr; });
  EXPECT_EQ(given.proto->graph().initializer(0).raw_data(), drawn.proto->graph().initializer(0).raw_data());
  EXPECT_EQ(given.proto->graph().initializer(1).raw_data(), std::string(36, '\1'));
  EXPECT_EQ(given.proto->graph().initializer(1).name(), "w2");
}

TEST(KernelModel, ports_are_called_by_their_places) {
  KernelRecord record = blocked_conv();
  record.outputs = {activation({1, 16, 8, 8}), left_out(), activation({7}, ElementType::i64)};
  record.ir_version = 3;
  const OnnxModel model = kernel_model(record);
  const onnx::ModelProto& proto = *model.proto;
  EXPECT_EQ(proto.ir_version(), 4) << "constants that are no inputs need it";
  const auto& graph = proto.graph();
  std::string words;
  for (const std::string& name : graph.node(0).input()) words += name + " ";
  for (const std::string& name : graph.node(0).output()) words += "[" + name + "] ";
  EXPECT_EQ(words, "x0 w1 w2 x3 [y0] [] [y2] ");
  ASSERT_EQ(graph.output_size(), 2);
  EXPECT_EQ(graph.output(1).name(), "y2");
  EXPECT_EQ(graph.output(1).type().tensor_type().elem_type(), onnx::TensorProto::INT64);
  EXPECT_EQ(graph.output(1).type().tensor_type().shape().dim(0).dim_value(), 7);
  record.ir_version = 9;
  EXPECT_EQ(kernel_model(record).proto->ir_version(), 9);
  record.inputs[2] = constant({16, 16, 3, 3}), record.inputs[2].same_as = 1;
  EXPECT_EQ(kernel_model(record).proto->graph().node(0).input(2), "w1");
  EXPECT_EQ(kernel_model_path("a/b", "id"), "a/b/id.onnx");
}

TEST(KernelModel, refusals_say_why) {
  const auto refused = [](const KernelRecord& record) {
    try {
      kernel_model(record);
      return std::string("made");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported);
      return std::string(error.what());
    }
  };
  KernelRecord record = clip();
  record.obstacle = "it runs a graph of its own";
  EXPECT_EQ(refused(record), "Clip: cannot be extracted as a model: it runs a graph of its own");
  record = clip();
  record.inputs[2] = constant({(1LL << 31) - (1 << 16) + 1}, ElementType::u8);
  EXPECT_EQ(refused(record), "Clip: cannot be extracted as a model: its weights take more than 2 GiB");
  record.inputs[2] = constant({1LL << 30}, ElementType::u8);
  record.inputs.push_back(record.inputs[2]);
  EXPECT_EQ(refused(record), "Clip: cannot be extracted as a model: its weights take more than 2 GiB")
      << "both together";
  record.inputs[2] = activation({1LL << 40}), record.inputs.pop_back();
  EXPECT_EQ(refused(record), "made") << "what is no weight takes nothing";
}

TEST(KernelModel, refuses_what_it_cannot_make) {
  KernelRecord record = clip();
  record.obstacle = "it runs a graph of its own";
  EXPECT_THROW(kernel_model(record), Error);
  record = clip();
  record.inputs[2] = constant({1 << 20, 1 << 10});
  EXPECT_THROW(kernel_model(record), Error);
}

}  // namespace
}  // namespace takt
