// Outputs that are handed on where they lie: nobody writes to them again, they outlive all that made them, and they
// hold what a copy would.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/basics/error.h"
#include "model/runtime/models.h"

namespace takt {
namespace {

class TakenOutputsTest : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Session> open(const ModelBuilder& builder, const std::vector<HostTensor>& inputs) {
    const auto path = folder_.write("model.onnx", builder.serialize());
    model_ = read_onnx(path);
    SessionSettings settings;
    settings.threads = 1;
    auto session = runtime_->open(path, &model_.graph, settings);
    session->set_inputs(inputs);
    return session;
  }
  static TakenOutputs run(Request& request, const SharedTensor& input = nullptr) {
    if (input) request.set_input(0, input);
    request.start_async([](Nanoseconds, std::optional<std::string> error) { EXPECT_FALSE(error) << *error; });
    request.wait();
    return request.take_outputs();
  }
  static SharedTensor row(const std::vector<float>& values) {
    return std::make_shared<const HostTensor>(floats("x", {1, static_cast<std::int64_t>(values.size())}, values));
  }
  bool is_openvino() const { return GetParam() == "openvino"; }

  TestFolder folder_;
  OnnxModel model_;
  std::unique_ptr<Runtime> runtime_ = make_runtime(GetParam());
};

/// y = x + 1, {1,4}.
ModelBuilder plus_one() {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {1, 4});
  b.output(b.node("Add", {x, b.floats({1}, {1})}, {}, {"add", "", {"y"}, {}}), ElementType::f32, {1, 4});
  return b;
}

/// The places of what is not zero, {2,n}: how many there are is known when it has run.
ModelBuilder places_of_non_zeros() {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {1, 4});
  b.output(b.node("NonZero", {x}, {}, {"nonzero", "", {"y"}, {}}));
  return b;
}

std::vector<std::int64_t> integers_of(const HostTensor& tensor) {
  std::vector<std::int64_t> values(tensor.bytes.size() / sizeof(std::int64_t));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

TEST_P(TakenOutputsTest, later_inferences_write_elsewhere_and_values_outlive_session_and_runtime) {
  auto session = open(plus_one(), {*row({0, 0, 0, 0})});
  auto request = session->make_request();
  std::vector<SharedTensor> taken;
  for (int i = 0; i < 30; ++i) {
    const auto f = static_cast<float>(i);
    taken.push_back(run(*request, row({f, 2 * f, -f, 7})).values.at(0));
  }
  request.reset();
  session.reset();
  runtime_.reset();
  for (int i = 0; i < 30; ++i) {
    const auto f = static_cast<float>(i);
    ASSERT_EQ(values_of(*taken[static_cast<std::size_t>(i)]), (std::vector<float>{f + 1, 2 * f + 1, 1 - f, 8})) << i;
    EXPECT_EQ(taken[static_cast<std::size_t>(i)]->name, "y");
  }
}

TEST_P(TakenOutputsTest, an_output_is_written_to_the_memory_that_it_was_given) {
  const auto session = open(plus_one(), {*row({0, 0, 0, 0})});
  const auto request = session->make_request();
  for (int i = 0; i < 10; ++i) {
    const auto memory = std::shared_ptr<std::byte>(new std::byte[16 + 4], std::default_delete<std::byte[]>());
    const auto place =
        std::shared_ptr<std::byte>(memory, memory.get() + (i % 2) * 4);  // of one element, not of 64 bytes
    request->set_output(0, {1, 4}, place);
    const auto f = static_cast<float>(i);
    const auto taken = run(*request, row({f, f, f, f}));
    EXPECT_EQ(taken.copied_bytes, 0);
    EXPECT_EQ(taken.values.at(0)->bytes.data(), place.get());
    EXPECT_EQ(taken.values.at(0)->shape, (Shape{1, 4}));
    EXPECT_EQ(values_of(*taken.values.at(0)), (std::vector<float>{f + 1, f + 1, f + 1, f + 1}));
    EXPECT_GE(memory.use_count(), 3) << "the output keeps it";
  }
}

TEST_P(TakenOutputsTest, an_output_of_a_size_that_only_the_inference_knows_is_not_copied_either) {
  const auto session = open(places_of_non_zeros(), {*row({0, 0, 0, 0})});
  auto request = session->make_request();
  std::vector<SharedTensor> held;
  std::int64_t copied = 0;
  for (int i = 0; i < 12; ++i) {
    std::vector<float> values(4, 0.0f);
    for (int k = 0; k < i % 5; ++k) values[static_cast<std::size_t>(k)] = 1;
    auto taken = run(*request, row(values));
    copied += taken.copied_bytes;
    held.push_back(std::move(taken.values.at(0)));
    if (i % 4 == 3) held[static_cast<std::size_t>(i) - 2].reset();  // some come back out of order
  }
  EXPECT_EQ(copied, 0);
  request.reset();
  for (int i = 0; i < 12; ++i) {
    const auto& value = held[static_cast<std::size_t>(i)];
    if (!value) continue;
    std::vector<std::int64_t> expected(static_cast<std::size_t>(i % 5), 0);
    for (int k = 0; k < i % 5; ++k) expected.push_back(k);
    ASSERT_EQ(value->shape, (Shape{2, i % 5})) << i;
    ASSERT_EQ(integers_of(*value), expected) << i;
  }
}

TEST_P(TakenOutputsTest, however_many_are_held_each_keeps_its_values) {
  const auto session = open(places_of_non_zeros(), {*row({0, 0, 0, 0})});
  const auto request = session->make_request();
  std::vector<SharedTensor> held;
  for (int i = 0; i < 60; ++i) {
    std::vector<float> values(4, 0.0f);
    values[static_cast<std::size_t>(i % 4)] = 1;
    held.push_back(run(*request, row(values)).values.at(0));
  }
  for (int i = 0; i < 60; ++i)
    ASSERT_EQ(integers_of(*held[static_cast<std::size_t>(i)]), (std::vector<std::int64_t>{0, i % 4})) << i;
}

TEST_P(TakenOutputsTest, an_output_that_is_an_input_lives_on_after_it) {
  ModelBuilder b;
  const auto x = b.symbolic_input("x", ElementType::f32, "1,n");
  b.output(b.node("Identity", {x}, {}, {"same", "", {"y"}, {}}));
  b.output(b.node("Add", {x, b.floats({1}, {1})}, {}, {"add", "", {"z"}, {}}));
  auto session = open(b, {*row({0, 0, 0, 0})});
  auto request = session->make_request();
  std::vector<TakenOutputs> taken;
  for (int i = 0; i < 8; ++i) taken.push_back(run(*request, row(std::vector<float>(4, static_cast<float>(i)))));
  taken.push_back(run(*request));  // the same input once more
  request.reset();
  session.reset();
  for (int i = 0; i < 9; ++i) {
    const auto f = static_cast<float>(std::min(i, 7));
    const auto& values = taken[static_cast<std::size_t>(i)].values;
    ASSERT_EQ(values_of(*values[0]), (std::vector<float>{f, f, f, f})) << i;
    ASSERT_EQ(values_of(*values[1]), (std::vector<float>{f + 1, f + 1, f + 1, f + 1})) << i;
  }
}

TEST_P(TakenOutputsTest, an_output_that_is_an_input_has_its_values_whatever_memory_it_is_given) {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {1, 4});
  b.output("x", ElementType::f32, {1, 4});
  b.output(b.node("Add", {x, b.floats({1}, {1})}, {}, {"add", "", {"z"}, {}}), ElementType::f32, {1, 4});
  const auto session = open(b, {*row({0, 0, 0, 0})});
  const auto request = session->make_request();
  for (int i = 1; i < 4; ++i) {
    const auto memory = std::shared_ptr<std::byte>(new std::byte[16](), std::default_delete<std::byte[]>());
    request->set_output(0, {1, 4}, memory);
    const auto f = static_cast<float>(i);
    const auto taken = run(*request, row({f, f, f, f}));
    EXPECT_EQ(values_of(*taken.values.at(0)), (std::vector<float>{f, f, f, f}));
    EXPECT_EQ(values_of(*taken.values.at(1)), (std::vector<float>{f + 1, f + 1, f + 1, f + 1}));
  }
}

TEST_P(TakenOutputsTest, an_output_that_is_always_the_same_outlives_the_model_that_it_stands_in) {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {1, 4});
  b.output(b.node("Add", {x, b.floats({1}, {1})}, {}, {"add", "", {"y"}, {}}), ElementType::f32, {1, 4});
  b.output(b.node("Identity", {b.floats({5, 6, 7}, {3})}, {}, {"same", "", {"c"}, {}}), ElementType::f32, {3});
  auto session = open(b, {*row({0, 0, 0, 0})});
  auto request = session->make_request();
  const auto first = run(*request), second = run(*request);
  request.reset();
  session.reset();
  EXPECT_EQ(values_of(*first.values.at(1)), (std::vector<float>{5, 6, 7}));
  EXPECT_EQ(values_of(*second.values.at(1)), (std::vector<float>{5, 6, 7}));
}

TEST_P(TakenOutputsTest, other_types_come_through) {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {1, 4});
  b.output(b.node("Greater", {x, b.floats({1}, {1})}, {}, {"greater", "", {"y"}, {}}), ElementType::boolean, {1, 4});
  b.output(b.node("Cast", {x}, {{"to", std::int64_t{10}}}, {"half", "", {"h"}, {}}), ElementType::f16, {1, 4});
  const auto session = open(b, {*row({0, 0, 0, 0})});
  const auto request = session->make_request();
  const auto taken = run(*request, row({0, 1, 2, 3}));
  EXPECT_EQ(taken.values.at(0)->type, ElementType::boolean);
  EXPECT_EQ(taken.values.at(0)->bytes,
            Bytes(std::vector<std::byte>{std::byte{0}, std::byte{0}, std::byte{1}, std::byte{1}}));
  EXPECT_EQ(taken.values.at(1)->type, ElementType::f16);
  EXPECT_EQ(taken.values.at(1)->bytes[2], std::byte{0x00});
  EXPECT_EQ(taken.values.at(1)->bytes[3], std::byte{0x3c}) << "1.0 is 0x3c00";
}

TEST_P(TakenOutputsTest, strings_are_copied_and_counted) {
  if (is_openvino()) GTEST_SKIP() << "its devices hold no strings";
  ModelBuilder b;
  const auto x = b.symbolic_input("x", ElementType::string, "n");
  b.output(b.node("Identity", {x}, {}, {"same", "", {"y"}, {}}));
  const auto words = [](const std::string& word) {
    return std::make_shared<const HostTensor>(HostTensor{"x", ElementType::string, {2}, {}, {word, "end"}});
  };
  const auto session = open(b, {*words("first")});
  const auto request = session->make_request();
  EXPECT_EQ(request->set_input(0, words("seven77")), 10);
  const auto taken = run(*request);
  EXPECT_EQ(taken.values.at(0)->strings, (std::vector<std::string>{"seven77", "end"}));
  EXPECT_EQ(taken.copied_bytes, 10);
}

TEST_P(TakenOutputsTest, an_empty_output_is_taken_like_any_other) {
  const auto session = open(places_of_non_zeros(), {*row({1, 1, 1, 1})});
  const auto request = session->make_request();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(*request, row({0, 0, 0, 0})).values.at(0)->shape, (Shape{2, 0}));
}

std::vector<std::string> computing_runtimes() {
  auto names = runtime_names();
  std::erase(names, "sim");
  return names;
}

INSTANTIATE_TEST_SUITE_P(, TakenOutputsTest, testing::ValuesIn(computing_runtimes()),
                         [](const auto& information) { return information.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TakenOutputsTest);

}  // namespace
}  // namespace takt
