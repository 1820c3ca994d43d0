// What every runtime promises, tried on each that this binary has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "base/basics/error.h"
#include "model/runtime/models.h"
#include "refused.h"

namespace takt {
namespace {

class RuntimeContract : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Session> open(const ModelBuilder& builder, bool profile_ops = false,
                                std::map<std::string, Shape> shapes = {}) {
    path_ = folder_.write("model.onnx", builder.serialize());
    model_ = read_onnx(path_);
    SessionSettings settings;
    settings.device = device();
    settings.threads = 1;
    settings.profile_ops = profile_ops;
    settings.input_shapes = std::move(shapes);
    return runtime_->open(path_, &model_.graph, settings);
  }

  ErrorKind refusal(const std::string& name, const std::string& bytes) {
    const auto path = folder_.write(name, bytes);
    SessionSettings settings;
    settings.device = device();
    try {
      runtime_->open(path, nullptr, settings);
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr(name));
      EXPECT_THAT(e.what(), testing::Not(testing::HasSubstr("\n")));
      EXPECT_THAT(e.what(), testing::Not(testing::HasSubstr(".cpp")));
      EXPECT_THAT(e.what(), testing::Not(testing::HasSubstr(".cc:")));
      return e.kind();
    }
    ADD_FAILURE() << name << " was accepted";
    return ErrorKind::runtime;
  }

  static std::string device() { return GetParam() == "sim" ? "sim:CPU" : "CPU"; }
  static HostTensor ones() { return floats("x", {1, 1, 4, 4}, std::vector<float>(16, 1.0f)); }

  TestFolder folder_;
  std::filesystem::path path_;
  OnnxModel model_;
  std::unique_ptr<Runtime> runtime_ = make_runtime(GetParam());
};

std::vector<std::vector<OpSample>> operators_of(Session& session, std::vector<Nanoseconds>& walls, int runs) {
  std::vector<std::vector<OpSample>> ops;
  for (int i = 0; i < runs; ++i) {
    walls.push_back(session.run());
    if (auto last = session.last_ops()) ops.push_back(*last);
  }
  if (auto all = session.all_ops()) ops = *all;
  return ops;
}

TEST_P(RuntimeContract, ports_are_those_of_the_model) {
  const auto session = open(conv_matmul());
  ASSERT_EQ(session->inputs().size(), 1u);
  EXPECT_EQ(session->inputs()[0].name, "x");
  EXPECT_EQ(session->inputs()[0].type, ElementType::f32);
  EXPECT_EQ(to_string(session->inputs()[0].shape), "{1,1,4,4}");
  ASSERT_EQ(session->outputs().size(), 1u);
  EXPECT_EQ(session->outputs()[0].name, "z");
  EXPECT_EQ(session->device(), device());
}

TEST_P(RuntimeContract, outputs_have_the_right_shape_and_real_ones_the_right_values) {
  const auto session = open(conv_matmul());
  session->set_inputs({ones()});
  EXPECT_GT(session->run().count(), 0);
  const auto outputs = session->outputs_of_last_run();
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].shape, (Shape{1, 1}));
  // Every 3×3 window of ones sums to 9; 9·(1+2+3+4) = 90.
  if (GetParam() != "sim") {
    EXPECT_THAT(values_of(outputs[0]), testing::ElementsAre(90.0f));
  }
}

TEST_P(RuntimeContract, an_inference_takes_time_within_that_of_its_caller) {
  const auto session = open(conv_matmul());
  session->set_inputs({ones()});
  const bool is_real = GetParam() != "sim";  // a simulated one need not wait as long as it says
  for (int i = 0; i < 3; ++i) {
    const Nanoseconds begin = steady_now();
    const Nanoseconds took = session->run();
    EXPECT_GE(took, Nanoseconds(0));
    EXPECT_TRUE(!is_real || took <= steady_now() - begin) << took.count();
  }
  const auto request = session->make_request();
  const Nanoseconds begin = steady_now();
  std::atomic<std::int64_t> completed = 0;
  request->start_async([&](Nanoseconds at, const std::optional<std::string>&) { completed = at.count(); });
  request->wait();
  while (completed == 0) std::this_thread::yield();
  EXPECT_GE(Nanoseconds(completed), begin);
  EXPECT_TRUE(!is_real || Nanoseconds(completed) <= steady_now()) << completed;
}

TEST_P(RuntimeContract, new_inputs_give_new_outputs) {
  if (GetParam() == "sim") GTEST_SKIP() << "a simulated device does not compute";
  const auto session = open(conv_matmul());
  session->set_inputs({ones()});
  session->run();
  session->set_inputs({floats("x", {1, 1, 4, 4}, std::vector<float>(16, 2.0f))});
  session->run();
  EXPECT_THAT(values_of(session->outputs_of_last_run()[0]), testing::ElementsAre(180.0f));
}

TEST_P(RuntimeContract, wrong_inputs_are_refused) {
  const auto session = open(conv_matmul());
  auto wrong_type = ones();
  wrong_type.type = ElementType::i32;
  auto short_bytes = ones();
  short_bytes.bytes.resize(short_bytes.bytes.size() - 1);
  const std::vector<std::vector<HostTensor>> wrong{{},
                                                   {wrong_type},
                                                   {short_bytes},
                                                   {ones(), ones()},
                                                   {floats("X", {1, 1, 4, 4}, std::vector<float>(16))},
                                                   {floats("x", {1, 4, 4}, std::vector<float>(16))},
                                                   {floats("x", {1, 1, 2, 8}, std::vector<float>(16))}};
  for (const auto& inputs : wrong) {
    try {
      session->set_inputs(inputs);
      ADD_FAILURE() << "accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::bad_input) << e.what();
    }
  }
}

TEST_P(RuntimeContract, operators_lie_in_order_within_the_call) {
  const auto session = open(conv_matmul(), true);
  session->set_inputs({ones()});
  std::vector<Nanoseconds> walls;
  const auto runs = operators_of(*session, walls, 5);
  ASSERT_EQ(runs.size(), walls.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Nanoseconds end{0};
    for (const auto& op : runs[i]) {
      EXPECT_GE(op.start, end) << op.node->name;
      EXPECT_GE(op.duration.count(), 0) << op.node->name;
      end = op.start + op.duration;
    }
    EXPECT_LE(end, walls[i]);
  }
}

TEST_P(RuntimeContract, operators_name_those_of_the_model) {
  const auto session = open(conv_matmul(), true);
  session->set_inputs({ones()});
  std::vector<Nanoseconds> walls;
  const auto runs = operators_of(*session, walls, 3);
  ASSERT_FALSE(runs.empty());
  std::set<std::string> types, covered, known;
  for (const auto& op : model_.graph.ops) known.insert(op.name);
  for (const auto& op : runs.back()) {
    types.insert(op.node->type);
    covered.insert(op.node->model_ops.begin(), op.node->model_ops.end());
  }
  EXPECT_TRUE(types.count("Conv")) << testing::PrintToString(types);
  EXPECT_TRUE(types.count("MatMul")) << testing::PrintToString(types);
  EXPECT_TRUE(covered.count("conv") && covered.count("relu") && covered.count("matmul"))
      << testing::PrintToString(covered);
  for (const auto& name : covered) EXPECT_TRUE(known.count(name)) << name;
}

TEST_P(RuntimeContract, without_profiling_there_are_no_operators) {
  const auto session = open(conv_matmul());
  session->set_inputs({ones()});
  session->run();
  EXPECT_FALSE(session->last_ops());
  EXPECT_FALSE(session->all_ops());
}

TEST_P(RuntimeContract, a_request_calls_back_once_and_can_be_started_again) {
  const auto session = open(conv_matmul());
  session->set_inputs({ones()});
  const auto request = session->make_request();
  std::atomic<int> calls{0};
  for (int i = 1; i <= 3; ++i) {
    request->start_async([&](Nanoseconds, std::optional<std::string> error) {
      EXPECT_FALSE(error) << *error;
      ++calls;
    });
    request->wait();
    EXPECT_EQ(calls, i);
  }
}

TEST_P(RuntimeContract, a_request_takes_values_of_its_own_and_shows_its_outputs) {
  const auto session = open(conv_matmul(), true);
  session->set_inputs({ones()});
  const auto request = session->make_request(), other = session->make_request();
  const auto twos = std::make_shared<HostTensor>(floats("any name", {1, 1, 4, 4}, std::vector<float>(16, 2.0f)));
  request->set_input(0, twos);
  EXPECT_EQ(twos.use_count(), GetParam() == "sim" ? 1 : 2) << "kept, not copied";
  std::vector<HostTensor> seen;
  request->start_async([&](Nanoseconds, std::optional<std::string> error) {
    EXPECT_FALSE(error) << *error;
    seen = request->outputs();
  });
  request->wait();
  other->start_async([](Nanoseconds, std::optional<std::string>) {});
  other->wait();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].name, "z");
  const auto refusal = [&](std::size_t port, const SharedTensor& value) {
    const std::string text = refused_with([&] { request->set_input(port, value); });
    return text.substr(std::min(text.find(GetParam()), text.size()));
  };
  EXPECT_EQ(refusal(1, twos), GetParam() + ": there is no input number 1; the model has 1");
  EXPECT_EQ(refusal(0, std::make_shared<HostTensor>(floats("x", {4}, {1, 2, 3, 4}))),
            GetParam() + ": input 'x' has shape {1,1,4,4}, which {4} does not fit; pass a fitting one");
  if (GetParam() == "sim") return;  // computes nothing
  EXPECT_EQ(values_of(seen[0]), (std::vector<float>{180}));
  EXPECT_EQ(values_of(other->outputs()[0]), (std::vector<float>{90}));
}

TEST_P(RuntimeContract, a_request_can_be_started_again_from_its_own_callback) {
  const auto session = open(conv_matmul());
  session->set_inputs({ones()});
  const auto request = session->make_request();
  std::atomic<int> left{50};
  std::promise<void> finished;
  std::function<void(Nanoseconds, std::optional<std::string>)> again = [&](Nanoseconds, std::optional<std::string>) {
    if (--left > 0)
      request->start_async(again);
    else
      finished.set_value();
  };
  request->start_async(again);
  finished.get_future().wait();
  request->wait();
  EXPECT_EQ(left, 0);
}

TEST_P(RuntimeContract, requests_do_not_disturb_the_operators_of_run) {
  const auto session = open(conv_matmul(), true);
  session->set_inputs({ones()});
  const auto request = session->make_request();
  request->start_async([](Nanoseconds, std::optional<std::string>) {});
  request->wait();
  std::vector<Nanoseconds> walls;
  EXPECT_EQ(operators_of(*session, walls, 2).size(), 2u);
}

TEST_P(RuntimeContract, totals_of_a_request_are_the_sums_of_its_operators) {
  const auto session = open(conv_matmul(), true);
  session->set_inputs({ones()});
  const auto request = session->make_request();
  for (int i = 0; i < 3; ++i) {
    request->start_async([](Nanoseconds, std::optional<std::string>) {});
    request->wait();
    const auto ops = request->last_ops();
    const auto totals = request->last_totals();
    ASSERT_EQ(ops.has_value(), totals.has_value());
    EXPECT_EQ(ops.has_value(), runtime_->traits().times_requests);
    if (!ops) return;
    OpTotals sums;
    for (const auto& op : *ops) {
      sums.all += op.duration;
      if (moves_data(op.node->type)) sums.moving += op.duration;
    }
    EXPECT_EQ(totals->all, sums.all);
    EXPECT_EQ(totals->moving, sums.moving);
  }
}

TEST_P(RuntimeContract, open_dimensions_are_fixed_by_the_settings) {
  const auto session = open(open_batch(), true, {{"x", {2, 3}}});
  EXPECT_EQ(to_string(session->inputs()[0].shape), "{2,3}");
  session->set_inputs({floats("x", {2, 3}, {-1, 2, -3, 4, -5, 6})});
  session->run();
  if (GetParam() == "sim") {  // the model does not say the shape of y, and a simulation does not compute it
    EXPECT_TRUE(
        refused_with([&] {
          session->outputs_of_last_run();
        }).ends_with("sim: the shape of output 'y' is unknown; give the inputs' shapes or set 'compute: true'"));
    return;
  }
  const auto outputs = session->outputs_of_last_run();
  EXPECT_EQ(outputs[0].shape, (Shape{2, 3}));
  EXPECT_THAT(values_of(outputs[0]), testing::ElementsAre(0, 2, 0, 4, 0, 6));
}

TEST_P(RuntimeContract, a_shape_that_does_not_fit_is_refused) {
  const auto refusal = [&](const std::string& input, const Shape& shape) {
    const std::string text = refused_with([&] { open(open_batch(), false, {{input, shape}}); });
    return text.substr(std::min(text.find(": input '"), text.size()));
  };
  for (const auto& [shape, shown] : {std::pair(Shape{2, 4}, "{2,4}"), {Shape{2}, "{2}"}, {Shape{-2, 3}, "{-2,3}"}}) {
    const std::string text = refusal("x", shape);
    EXPECT_TRUE(text.starts_with(": input 'x' has shape {") &&
                text.ends_with("}, which " + std::string(shown) +
                               " does not fit; change only dimensions that the model leaves open"))
        << text;
  }
  EXPECT_TRUE(refused_with([&] {
                open(open_batch(), false, {{"y", {2, 3}}});
              }).ends_with(": there is no input 'y' to give shape {2,3}; the inputs are x"));
}

TEST_P(RuntimeContract, open_dimensions_may_stay_open) {
  if (GetParam() == "sim") GTEST_SKIP() << "a simulated device does not compute";
  const auto session = open(open_batch());
  for (const std::int64_t batch : {1, 4, 2}) {
    session->set_inputs({floats("x", {batch, 3}, std::vector<float>(static_cast<std::size_t>(batch) * 3, 1.0f))});
    session->run();
    EXPECT_EQ(session->outputs_of_last_run()[0].shape, (Shape{batch, 3}));
  }
}

TEST_P(RuntimeContract, outputs_that_are_declared_of_another_size_come_as_they_are) {
  if (GetParam() == "sim") GTEST_SKIP() << "a simulated device does not compute";
  for (const std::int64_t declared : {0, 7}) {
    ModelBuilder b;
    const auto x = b.symbolic_input("x", ElementType::f32, "rows,2");
    b.output(b.node("Relu", {x}, {}, {.outputs = {"y"}}), ElementType::f32, {declared, 2});
    const auto session = open(b);
    session->set_inputs({floats("x", {3, 2}, {-1, 2, -3, 4, -5, 6})});
    for (int run = 0; run < 3; ++run) session->run();
    EXPECT_THAT(values_of(session->outputs_of_last_run()[0]), testing::ElementsAre(0, 2, 0, 4, 0, 6));
    EXPECT_FALSE(concrete(session->outputs()[0].shape)) << "it is not what the model declares";
    const auto notes = session->notes();  // on some processors also that it computes in bfloat16
    const auto of_size = [](const std::string& note) {
      return note.find("but the runtime computes") != std::string::npos;
    };
    EXPECT_EQ(std::count_if(notes.begin(), notes.end(), of_size), GetParam() == "onnxruntime" ? 1 : 0) << declared;
    const auto request = session->make_request();
    for (int run = 0; run < 2; ++run) {
      request->start_async([](Nanoseconds, std::optional<std::string>) {});
      request->wait();
      EXPECT_EQ(request->take_outputs().values.at(0)->shape, (Shape{3, 2}));
    }
  }
}

TEST_P(RuntimeContract, shapes_are_inferred_or_not_told) {
  open(conv_matmul());
  const auto shapes = runtime_->infer_shapes(path_, {});
  if (!shapes) return;
  EXPECT_EQ(to_string(shapes->at("c")), "{1,1,2,2}");
  EXPECT_EQ(to_string(shapes->at("f")), "{1,4}");
}

TEST_P(RuntimeContract, a_model_becomes_one_of_the_runtimes_own_format_or_nothing_is_written) {
  const auto model = folder_.write("model.onnx", conv_matmul().serialize());
  const auto ir = folder_ / "own.xml";
  const bool converted = runtime_->convert(model, ir);
  EXPECT_EQ(converted, GetParam() == "openvino");
  EXPECT_EQ(std::filesystem::exists(ir), converted);
  if (!converted) return;
  const auto session = runtime_->open(ir, nullptr, {});
  session->set_inputs({ones()});
  session->run();
  EXPECT_THAT(values_of(session->outputs_of_last_run()[0]), testing::ElementsAre(90.0f));
  const auto broken = folder_.write("broken.onnx", "no model");
  EXPECT_EQ(refused_with([&] { runtime_->convert(broken, ir); }),
            broken.string() + ": this is not an ONNX model but text");
}

TEST_P(RuntimeContract, broken_files_are_refused_in_one_sentence) {
  const auto whole = conv_matmul().serialize();
  EXPECT_EQ(refusal("empty.onnx", ""), ErrorKind::bad_input);
  EXPECT_EQ(refusal("text.onnx", "this is no model\n"), ErrorKind::bad_input);
  EXPECT_EQ(refusal("cut.onnx", whole.substr(0, whole.size() / 2)), ErrorKind::bad_input);
  EXPECT_EQ(refusal("zeros.onnx", std::string(1000, '\0')), ErrorKind::bad_input);
}

TEST_P(RuntimeContract, folders_and_pipes_are_no_models) {
  if (GetParam() == "sim") GTEST_SKIP() << "it reads the model itself, once";
  std::filesystem::create_directory(folder_ / "folder.onnx");
  ASSERT_EQ(::mkfifo((folder_ / "pipe.onnx").c_str(), 0600), 0);
  SessionSettings settings;
  settings.device = device();
  for (const auto& [name, why] : std::map<std::string, std::string>{
           {"folder.onnx", "is a folder"}, {"pipe.onnx", "is a pipe or a device; a model is read several times"}}) {
    try {
      runtime_->open(folder_ / name, nullptr, settings);
      ADD_FAILURE() << name;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::bad_input);
      EXPECT_THAT(e.what(), testing::HasSubstr(name + ": " + why));
    }
  }
}

TEST_P(RuntimeContract, a_request_is_started_once_at_a_time) {
  auto session = open(conv_matmul());
  session->set_inputs({ones()});
  const auto request = session->make_request();
  std::string said;
  for (int i = 0; i < 2000 && said.empty(); ++i) {  // the first may be done before the second is asked for
    request->start_async([](Nanoseconds, std::optional<std::string>) {});
    try {
      request->start_async([](Nanoseconds, std::optional<std::string>) {});
    } catch (const Error& e) {
      said = e.what();
    }
    request->wait();
  }
  EXPECT_THAT(said, testing::HasSubstr("the request is still running; wait for it first"));
}

TEST_P(RuntimeContract, a_file_that_is_not_there_is_named) {
  SessionSettings settings;
  settings.device = device();
  try {
    runtime_->open("nowhere/model.onnx", nullptr, settings);
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::io);
    EXPECT_THAT(e.what(), testing::HasSubstr("nowhere/model.onnx"));
  }
}

TEST_P(RuntimeContract, an_unknown_device_is_refused_with_those_that_work) {
  const auto path = folder_.write("model.onnx", conv_matmul().serialize());
  SessionSettings settings;
  settings.device = GetParam() == "sim" ? "sim:XPU" : "XPU";
  try {
    runtime_->open(path, nullptr, settings);
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::unsupported);
    EXPECT_THAT(e.what(), testing::HasSubstr("CPU"));
  }
}

TEST_P(RuntimeContract, devices_that_do_not_work_have_a_reason_in_one_sentence) {
  const auto devices = runtime_->devices();
  EXPECT_FALSE(devices.empty());
  EXPECT_EQ(runtime_->name(), GetParam());
  EXPECT_FALSE(runtime_->version().empty());
  for (const auto& status : devices)
    EXPECT_THAT(status.reason.value_or(""), testing::Not(testing::HasSubstr("\n"))) << status.device;
}

TEST_P(RuntimeContract, only_sim_is_simulated_and_reading_onnx_is_left_to_takt) {
  EXPECT_EQ(runtime_->traits().is_simulated, GetParam() == "sim");
  EXPECT_FALSE(runtime_->read_graph(folder_.write("model.onnx", conv_matmul().serialize()), {}));
}

INSTANTIATE_TEST_SUITE_P(, RuntimeContract, testing::ValuesIn(runtime_names()),
                         [](const auto& information) { return information.param; });

}  // namespace
}  // namespace takt
