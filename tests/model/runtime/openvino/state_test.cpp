// Models of OpenVINO with variables: an inference does not see what an earlier one left in them.
#include <gmock/gmock.h>

#include <future>

#include "model/runtime/models.h"

namespace takt {
namespace {

/// y = x + s, and s becomes y; s is of two numbers and starts at zero.
constexpr const char* running_sum = R"(<?xml version="1.0"?>
<net name="running_sum" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,2" element_type="f32" />
 <output><port id="0" precision="FP32" names="x"><dim>1</dim><dim>2</dim></port></output></layer>
<layer id="1" name="read" type="ReadValue" version="opset6">
 <data variable_id="s" variable_type="f32" variable_shape="1,2" />
 <output><port id="0" precision="FP32"><dim>1</dim><dim>2</dim></port></output></layer>
<layer id="2" name="sum" type="Add" version="opset1"><data auto_broadcast="numpy" />
 <input><port id="0" precision="FP32"><dim>1</dim><dim>2</dim></port>
 <port id="1" precision="FP32"><dim>1</dim><dim>2</dim></port></input>
 <output><port id="2" precision="FP32" names="y"><dim>1</dim><dim>2</dim></port></output></layer>
<layer id="3" name="keep" type="Assign" version="opset6"><data variable_id="s" />
 <input><port id="0" precision="FP32"><dim>1</dim><dim>2</dim></port></input>
 <output><port id="1" precision="FP32"><dim>1</dim><dim>2</dim></port></output></layer>
<layer id="4" name="y_result" type="Result" version="opset1">
 <input><port id="0" precision="FP32"><dim>1</dim><dim>2</dim></port></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0" />
<edge from-layer="1" from-port="0" to-layer="2" to-port="1" />
<edge from-layer="2" from-port="2" to-layer="3" to-port="0" />
<edge from-layer="2" from-port="2" to-layer="4" to-port="0" />
</edges></net>)";

class State : public testing::Test {
 protected:
  std::unique_ptr<Session> open(SessionSettings settings) {
    settings.precision = ElementType::f32;
    auto session = runtime_->open(model_, nullptr, settings);
    session->set_inputs({floats("x", {1, 2}, {1, 2})});
    return session;
  }

  std::unique_ptr<Runtime> runtime_ = make_runtime("openvino");  // it outlives its sessions
  TestFolder folder_;
  std::filesystem::path model_ = folder_.write("sum.xml", running_sum);
  std::filesystem::path weights_ = folder_.write("sum.bin", "");
};

const std::vector<float> first{1, 2};  ///< of inputs 1 and 2, and a state of zeros

TEST_F(State, is_reset_before_every_run) {
  for (const bool profiled : {false, true}) {
    SessionSettings settings;
    settings.profile_ops = profiled;
    const auto session = open(settings);
    for (int run = 0; run < 3; ++run) {
      session->run();
      EXPECT_EQ(values_of(session->outputs_of_last_run().at(0)), first) << "run " << run << ", profiled: " << profiled;
    }
  }
}

TEST_F(State, goes_on_where_it_is_kept_until_it_is_reset) {
  SessionSettings settings;
  settings.keep_state = true;
  const auto session = open(settings);
  const auto next = [&] {
    session->run();
    return values_of(session->outputs_of_last_run().at(0));
  };
  EXPECT_EQ(next(), first);
  EXPECT_EQ(next(), (std::vector<float>{2, 4}));
  EXPECT_EQ(next(), (std::vector<float>{3, 6}));
  EXPECT_TRUE(session->reset_state());
  EXPECT_EQ(next(), first);
  EXPECT_THAT(session->notes(), testing::Contains(testing::HasSubstr("each run continues the one before")));
}

/// With a hint, inferences run on OpenVINO's threads; without one, on the request's own.
TEST_F(State, is_reset_before_every_inference_of_a_request) {
  for (const auto hint : {std::optional<Hint>(), std::optional(Hint::throughput)}) {
    SessionSettings settings;
    settings.hint = hint;
    const auto session = open(settings);
    const auto request = session->make_request();
    for (int run = 0; run < 3; ++run) {
      std::promise<std::optional<std::string>> done;
      request->start_async([&](Nanoseconds, std::optional<std::string> error) { done.set_value(error); });
      EXPECT_EQ(done.get_future().get(), std::nullopt);
      request->wait();
      EXPECT_EQ(values_of(request->outputs().at(0)), first) << "run " << run << ", hint: " << hint.has_value();
    }
  }
}

TEST_F(State, is_told_by_the_names_of_its_variables) {
  EXPECT_THAT(open({})->notes(), testing::Contains("the model keeps state from run to run (variable s); it is reset "
                                                   "before every run"));
  const auto onnx = folder_.write("plain.onnx", conv_matmul().serialize());
  for (const std::string& note : runtime_->open(onnx, nullptr, {})->notes())
    EXPECT_THAT(note, testing::Not(testing::HasSubstr("state"))) << "without variables";
}

}  // namespace
}  // namespace takt
