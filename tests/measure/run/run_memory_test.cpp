// What `takt run` says of memory, from results written down by hand.
#include "measure/run/memory.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/system/provenance.h"
#include "measure/report/peer_writer.h"
#include "measure/report/run_tables.h"
#include "measure/run/results.h"

namespace takt {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;

RunResult both_passes() {
  RunResult result = profiled_result({{100, {sample("a", "Add", 0, 10, {"a"})}}});
  result.graph = GraphSketch({256, 1024}).op("a", "Add", {"x", "y"}).graph("a");
  result.profiled->memory = {150 * mebibyte, 300 * mebibyte, 260 * mebibyte};
  result.plain = *result.profiled;
  result.plain->profiled = false;
  result.plain->memory = {40 * mebibyte, 200 * mebibyte, 150 * mebibyte};
  result.process_peak = 310 * mebibyte;
  return result;
}

TEST(RunMemory, the_line_is_of_the_plain_session_which_alone_is_the_model) {
  const std::string resident = "Memory 200 MiB while loading, 150 MiB while running, 40.0 MiB before;";
  const std::string model = "weights 0 B, activations 3.00 MiB at most\n";
  EXPECT_EQ(memory_line(both_passes()), resident + "\n       " + model);
  EXPECT_EQ(memory_line(both_passes(), 120), resident + " " + model);
  const std::size_t columns = resident.size() + 1 + model.size() - 1;
  EXPECT_EQ(memory_line(both_passes(), columns), resident + " " + model) << "just fits";
  EXPECT_EQ(memory_line(both_passes(), columns - 1), resident + "\n       " + model);
  RunResult profiled_only = both_passes();
  profiled_only.plain.reset();
  EXPECT_THAT(memory_line(profiled_only), testing::StartsWith("Memory 300 MiB while loading"));
}

TEST(RunMemory, what_is_not_known_is_left_out_and_not_zero) {
  RunResult result = both_passes();
  result.plain->memory = {40 * mebibyte, std::nullopt, std::nullopt};
  result.graph->tensors[0].bytes.reset();
  EXPECT_EQ(memory_line(result), "Memory 40.0 MiB before; weights 0 B\n");
  result.plain->memory = {};
  EXPECT_EQ(memory_line(result), "Memory weights 0 B\n");
  result.graph.reset();
  EXPECT_EQ(memory_line(result), "");
}

TEST(RunMemory, the_summary_has_a_row_per_session_and_empty_cells) {
  RunResult result = both_passes();
  result.profiled->memory.loading.reset();
  const Table table = some_columns(summary_table(result), {"load_peak_bytes", "run_peak_bytes", "process_peak_bytes"});
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0], (std::vector<Cell>{200 * mebibyte, 150 * mebibyte, 310 * mebibyte}));
  EXPECT_EQ(table.rows[1], (std::vector<Cell>{Cell(), 260 * mebibyte, 310 * mebibyte}));
}

TEST(RunMemory, a_profile_keeps_every_figure) {
  const RunResult result = both_passes();
  const auto file = nlohmann::json::parse(
      to_peer_json(result, profile_ops(result), make_provenance({}), ProfileContent::device_and_host));
  const auto& memory = file.at("takt").at("memory");
  EXPECT_EQ(memory.at("plain").at("load_peak_bytes"), 200 * mebibyte);
  EXPECT_EQ(memory.at("profiled").at("run_peak_bytes"), 260 * mebibyte);
  EXPECT_EQ(memory.at("process_peak_bytes"), 310 * mebibyte);
  EXPECT_EQ(memory.at("activation_peak_bytes"), 3 * mebibyte);
  RunResult simulated = both_passes();
  simulated.plain->memory = simulated.profiled->memory = {};
  simulated.process_peak.reset();
  EXPECT_TRUE(nlohmann::json::parse(memory_json(simulated)).at("plain").at("load_peak_bytes").is_null());
}

}  // namespace
}  // namespace takt
