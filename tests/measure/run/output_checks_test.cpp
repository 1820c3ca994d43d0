#include "measure/open/output_checks.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "base/basics/error.h"
#include "measure/report/io_dump.h"
#include "measure/run/fake_session.h"

namespace takt {
namespace {

using testing::HasSubstr;

HostTensor floats(const std::string& name, const std::vector<float>& values) {
  HostTensor tensor{name, ElementType::f32, {2, static_cast<std::int64_t>(values.size()) / 2}, {}, {}};
  tensor.bytes.resize(values.size() * sizeof(float));
  std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

std::string failure(OutputChecks& checks, Session& session, std::size_t run) {
  try {
    checks.after_run(session, run);
  } catch (const Error& error) {
    return error.what();
  }
  return "passed";
}

TEST(OutputChecks, range_is_strict_and_nan_is_outside) {
  FakeSession session;
  OutputChecks checks(2.0, std::nullopt);
  session.tensors = {floats("y", {1, -1.5f, 0, 1.99f})};
  EXPECT_EQ(failure(checks, session, 0), "passed");
  session.tensors = {floats("y", {1, 1, 1, 1, 2, 1})};
  EXPECT_THAT(failure(checks, session, 1), HasSubstr("output 'y' of shape {2,3} is 2 at {1,1}"));
  session.tensors = {floats("y", {NAN, 1})};
  EXPECT_THAT(failure(checks, session, 2), HasSubstr("is nan at {0,0}"));
}

TEST(OutputChecks, repeated_outputs_are_compared_every_so_many_runs_and_from_a_given_one_on) {
  FakeSession session;
  session.tensors = {floats("a", {1, 2}), floats("b", {3, 4})};
  OutputChecks checks(std::nullopt, RepeatCheck{2, 1});
  EXPECT_EQ(failure(checks, session, 0), "passed");
  session.tensors[0] = floats("a", {9, 2});
  EXPECT_EQ(failure(checks, session, 2), "passed");
  session.tensors[1] = floats("b", {3, 5});
  EXPECT_EQ(failure(checks, session, 3), "passed");
  EXPECT_THAT(failure(checks, session, 4), HasSubstr("5 instead of 4 at {1,0}"));
  session.tensors[1] = floats("b", {3, 4, 5, 6});
  EXPECT_EQ(failure(checks, session, 6), "output 'b' of run 6 differs from the first run") << "another shape";
}

TEST(IoDump, text_names_the_operator_its_inputs_and_statistics) {
  Graph graph;
  graph.tensors = {{"x", ElementType::f32, {}, false, {}, {}, false},
                   {"y", ElementType::f32, {}, false, {}, {}, false}};
  graph.ops.push_back({"relu1", "Relu", "", {0}, {1}, {}, {}, 0});
  const std::string text = dump_text({floats("x", {1, 2, 3, 4, 5, 6}), floats("y", {2, 4})}, &graph);
  EXPECT_EQ(text,
            "var0 given: name=x layout={2,3 float32}\n"
            " val: [1, 2, 3, 4, 5, ...] min=1 max=6 mean=3.5 l2=3.89 sd=1.87\n"
            "var1 produced: name=y layout={2,1 float32} owner_opr=relu1{Relu}\n"
            " deps:\n"
            "  [i0]var0: [1, 2, 3, 4, 5, ...]\n"
            " val: [2, 4] min=2 max=4 mean=3 l2=3.16 sd=1.41\n");
}

}  // namespace
}  // namespace takt
