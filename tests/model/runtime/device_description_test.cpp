#include "model/sim/device_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "model/sim/simulated.h"
#include "places.h"

namespace takt {
namespace {

constexpr const char* roofline = "peak_flops_per_s: 1e9\nbandwidth_bytes_per_s: 1e9\nunknown_op_ns: 5\n";

std::string description_refusal(const std::string& text) {
  try {
    parse_device_description(text, "edge.yaml");
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input);
    return e.what();
  }
  return "accepted";
}

TEST(DeviceDescription, the_example_in_the_tree_is_valid) {
  const auto device = find_device_description("edge", source_dir() / "examples/devices/edge.yaml");
  EXPECT_EQ(device.name, "edge");
  EXPECT_EQ(device.noise.shape, NoiseShape::lognormal);
  EXPECT_EQ(device.law.by_type.at("Softmax").fixed_ns, 12000);
  EXPECT_EQ(device.overhead.count(), 30000);
}

TEST(DeviceDescription, built_in_ones_are_valid_in_any_case) {
  for (const auto& name : built_in_devices()) EXPECT_EQ(find_device_description(name, {}).name, name);
  EXPECT_EQ(find_device_description("gpu", {}).name, "GPU");
}

TEST(DeviceDescription, errors_name_file_line_and_key) {
  EXPECT_EQ(description_refusal(std::string(roofline) + "overhed_ns: 1\n"),
            "edge.yaml:4: overhed_ns: unknown key; did you mean 'overhead_ns'?");
  EXPECT_THAT(description_refusal(std::string(roofline) + "overhead_ns: soon\n"),
              testing::StartsWith("edge.yaml:4: overhead_ns:"));
  EXPECT_THAT(description_refusal(std::string(roofline) + "overhead_ns: -1\n"), testing::HasSubstr("out of range"));
  EXPECT_THAT(description_refusal(std::string(roofline) + "overhead_ns: .nan\n"), testing::HasSubstr("not a number"));
  EXPECT_THAT(description_refusal(std::string(roofline) + "noise: {shape: lognormel, sigma: 0.1}\n"),
              testing::HasSubstr("did you mean 'lognormal'?"));
  EXPECT_THAT(description_refusal(std::string(roofline) + "unknown_op_ns: 6\n"), testing::HasSubstr("twice"));
  EXPECT_THAT(description_refusal("law: table\nunknown_op_ns: 1\n"), testing::HasSubstr("ops"));
  EXPECT_THAT(description_refusal("law: table\nlaunch_ns: 1\nops: {}\nunknown_op_ns: 1\n"),
              testing::HasSubstr("launch_ns"));
  EXPECT_THAT(description_refusal("bandwidth_bytes_per_s: 1\nunknown_op_ns: 1\n"),
              testing::HasSubstr("peak_flops_per_s"));
  EXPECT_THAT(description_refusal(std::string(roofline) + "ops: {Conv: {fixd_ns: 1}}\n"),
              testing::HasSubstr("fixed_ns"));
}

TEST(DeviceDescription, says_how_and_from_which_size_on_a_device_fails) {
  EXPECT_FALSE(parse_device_description(roofline, "edge.yaml").fault);
  const auto device =
      parse_device_description(std::string(roofline) + "fails: {as: hang, from_bytes: 12}\n", "edge.yaml");
  ASSERT_TRUE(device.fault);
  EXPECT_EQ(device.fault->kind, DeviceFault::Kind::hang);
  EXPECT_EQ(device.fault->from_bytes, 12);
  EXPECT_THAT(description_refusal(std::string(roofline) + "fails: {as: lots}\n"),
              testing::HasSubstr("did you mean 'lost'?"));
  EXPECT_THAT(description_refusal(std::string(roofline) + "fails: {as: lost, from_bytes: -1}\n"),
              testing::HasSubstr("from_bytes"));
}

TEST(DeviceDescription, says_what_a_device_shares_with_others) {
  EXPECT_TRUE(parse_device_description(roofline, "edge.yaml").shares.empty());
  const auto device = parse_device_description(
      std::string(roofline) +
          "shares: {memory: {law: queue, pressure: 0.6, sensitivity: 0.8, ops: {MatMul: {pressure: 0.1}}}, bus: {}}\n",
      "edge.yaml");
  ASSERT_EQ(device.shares.size(), 2u);
  const DescribedResource& memory = device.shares.at("memory");
  EXPECT_EQ(memory.law, PressureLaw::queue);
  EXPECT_EQ(memory.otherwise.sensitivity, 0.8);
  EXPECT_EQ(memory.by_type.at("MatMul").pressure, 0.1);
  EXPECT_EQ(memory.by_type.at("MatMul").sensitivity, 0);
  EXPECT_EQ(device.shares.at("bus").law, PressureLaw::linear);
  const auto refused = [](const std::string& text) { return description_refusal(roofline + text); };
  EXPECT_THAT(refused("shares: {memory: {law: que}}\n"), testing::HasSubstr("edge.yaml:4: shares.memory.law: 'que'"));
  EXPECT_THAT(refused("shares: {memory: {pressure: 1.5}}\n"),
              testing::HasSubstr("edge.yaml:4: shares.memory.pressure: 1.5 is out of range"));
  EXPECT_THAT(refused("shares: {memory: {ops: {Conv: {sensitivty: 1}}}}\n"),
              testing::HasSubstr("shares.memory.ops.Conv.sensitivty: unknown key"));
  EXPECT_THAT(refused("shares: [memory]\n"), testing::HasSubstr("edge.yaml:4: shares"));
  EXPECT_THAT(refused("shares: {a: {}, b: {}, c: {}, d: {}, e: {}, f: {}, g: {}, h: {}, i: {}}\n"),
              testing::HasSubstr("has 9 resources; use up to 8"));
}

TEST(DeviceDescription, what_is_not_a_mapping_is_refused) {
  for (const auto* text : {"", "- a\n", "a: [\n", "\"", "{", "a: b: c\n", "? [1]\n: 2\n", "*x\n"})
    EXPECT_THAT(description_refusal(text), testing::StartsWith("edge.yaml:")) << text;
  EXPECT_THAT(description_refusal(std::string(100'000, '[')), testing::StartsWith("edge.yaml:"));
}

TEST(DeviceDescription, an_unknown_name_says_which_file_would_help) {
  try {
    find_device_description("nowhere", {});
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::unsupported);
    EXPECT_THAT(e.what(), testing::HasSubstr("nowhere.yaml"));
  }
}

}  // namespace
}  // namespace takt
