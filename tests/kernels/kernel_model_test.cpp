#include "predict/kernels/model.h"

#include <gtest/gtest.h>
#include <onnx-ml.pb.h>

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
