// What a stage's session costs beside computing: nothing is recorded that nobody can read.
#include <gtest/gtest.h>

#include "model/runtime/models.h"
#include "piece_runs.h"
#include "pipeline/stages/opened_model.h"

namespace takt {
namespace {

TEST(OpenedSessions, record_operators_only_where_a_request_tells_their_times) {
  const TestFolder folder;
  const auto path = folder.write("net.onnx", conv_matmul().serialize());
  for (const std::string& name : real_runtimes()) {
    const OpenedSession opened = open_session(path, {.device = "CPU", .runtime = name, .threads = 1}, {});
    const auto request = opened.session->make_request();
    request->start_async([](Nanoseconds, std::optional<std::string>) {});
    request->wait();
    EXPECT_EQ(request->last_totals().has_value(), opened.runtime->traits().times_requests) << name;
    // ONNX Runtime's records of a stage cost half as much as a small network again, and no request tells them.
    if (!opened.runtime->traits().times_requests) {
      EXPECT_FALSE(opened.session->all_ops()) << name;
    }
  }
}

}  // namespace
}  // namespace takt
