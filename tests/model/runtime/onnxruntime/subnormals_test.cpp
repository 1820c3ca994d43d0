// session.set_denormal_as_zero acts on the thread that computes, whatever other sessions of the process asked for.
#include <gtest/gtest.h>

#include <future>
#include <limits>

#include "model/runtime/models.h"

namespace takt {
namespace {

constexpr float half_of_the_least = std::numeric_limits<float>::min() / 2;  ///< a subnormal number

/// y = x · w, a product of 1×1 and 1×1.
ModelBuilder product() {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {1, 1});
  b.output(b.node("MatMul", {x, b.floats({half_of_the_least}, {1, 1}, "w")}, {}, {"product", "", {"y"}, {}}),
           ElementType::f32, {1, 1});
  return b;
}

class Subnormals : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "ONNX Runtime ignores the property on this processor";
#endif
  }

  std::unique_ptr<Session> open(bool as_zero, bool profiled = false) {
    SessionSettings settings;
    settings.threads = 1, settings.profile_ops = profiled;
    if (as_zero) settings.properties = {{"session.set_denormal_as_zero", "1"}};
    auto session = runtime_->open(path_, &model_.graph, settings);
    session->set_inputs({floats("x", {1, 1}, {1})});
    return session;
  }

  static float computed(Session& session) {
    session.run();
    return values_of(session.outputs_of_last_run().at(0)).at(0);
  }

  static float computed_by_request(Session& session) {
    const auto request = session.make_request();
    std::promise<void> done;
    request->start_async([&](Nanoseconds, const std::optional<std::string>&) { done.set_value(); });
    done.get_future().get();
    request->wait();
    return values_of(request->outputs().at(0)).at(0);
  }

  /// What this thread makes of a subnormal number.
  static float own() {
    volatile float number = half_of_the_least;
    return number * 1.0f;
  }

  std::unique_ptr<Runtime> runtime_ = make_runtime("onnxruntime");  // it outlives its sessions
  TestFolder folder_;
  std::filesystem::path path_ = folder_.write("m.onnx", product().serialize());
  OnnxModel model_ = read_onnx(path_);
};

TEST_F(Subnormals, are_zero_where_the_property_says_so) {
  for (const bool profiled : {false, true}) {
    const auto kept = open(false, profiled), zero = open(true, profiled), kept_again = open(false, profiled);
    for (int turn = 0; turn < 2; ++turn) {
      EXPECT_EQ(computed(*kept), half_of_the_least);
      EXPECT_EQ(computed(*zero), 0);
      EXPECT_EQ(computed(*kept_again), half_of_the_least);
    }
  }
}

TEST_F(Subnormals, are_zero_in_requests_too) {
  const auto zero = open(true), kept = open(false);
  EXPECT_EQ(computed_by_request(*zero), 0);
  EXPECT_EQ(computed_by_request(*kept), half_of_the_least);
}

TEST_F(Subnormals, of_the_calling_thread_stay_as_they_were) {
  const auto zero = open(true);
  EXPECT_EQ(own(), half_of_the_least) << "after opening";
  computed(*zero);
  EXPECT_EQ(own(), half_of_the_least) << "after a run";
}

}  // namespace
}  // namespace takt
