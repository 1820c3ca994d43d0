#include "base/system/provenance.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/system/progress.h"
#include "base/system/version.h"

using namespace std::chrono_literals;

namespace takt {
namespace {

TEST(Provenance, says_what_made_a_file) {
  unsetenv("TAKT_FIXED_PROVENANCE");
  auto json = nlohmann::json::parse(to_json(make_provenance({"takt", "run", "a \"b\""})));
  EXPECT_EQ(json["takt_version"], version);
  EXPECT_EQ(json["command"][2], "a \"b\"");
  EXPECT_EQ(json["date"].get<std::string>().size(), std::string("2026-01-01T00:00:00Z").size());
  EXPECT_FALSE(json["cpu"].get<std::string>().empty());
  EXPECT_FALSE(json.contains("runtime"));
}

TEST(Provenance, can_be_fixed_for_byte_exact_tests) {
  setenv("TAKT_FIXED_PROVENANCE", "1", 1);
  EXPECT_EQ(make_provenance({}).host, "-");
  unsetenv("TAKT_FIXED_PROVENANCE");
}

TEST(Keys, of_a_provenance_have_their_values) {
  Provenance provenance{7,         "0.9",     {"takt", "run"}, "today",  "here", "some CPU",
                        "some OS", "Release", "openvino",      "2026.1", "GPU",  {}};
  provenance.settings = {{"seed", "3"}, {"threads", "2"}};
  EXPECT_EQ(nlohmann::json::parse(to_json(provenance)), nlohmann::json::parse(R"({
    "schema_version": 7, "takt_version": "0.9", "command": ["takt", "run"], "date": "today", "host": "here",
    "cpu": "some CPU", "os": "some OS", "build_type": "Release", "runtime": "openvino", "runtime_version": "2026.1",
    "device": "GPU", "settings": {"seed": "3", "threads": "2"}})"));
}

TEST(ProgressLine, tells_the_remaining_time_once_it_can) {
  EXPECT_EQ(progress_line("run", 0, 10, 0s), "run [........................]   0 %");
  EXPECT_EQ(progress_line("run", 5, 10, 2s), "run [############............]  50 %  2.00 s left");
  EXPECT_EQ(progress_line("run", 10, 10, 4s), "run [########################] 100 %");
  EXPECT_EQ(progress_line("run", 5, 10, 2s, 30), "run [##...]  50 %  2.00 s left");
  EXPECT_EQ(progress_line("run", 1, 4, 2s), "run [######..................]  25 %  6.00 s left");
  EXPECT_EQ(progress_line("run", 11, 10, 2s), "run [########################] 100 %");
  EXPECT_EQ(progress_line("run", 0, 0, 2s), "run [########################] 100 %");
  EXPECT_EQ(progress_line("run", 5, 10, 2s, 26), "run [.]  50 %  2.00 s left");
  EXPECT_EQ(progress_line("run", 5, 10, 2s, 25), "run  50 %  2.00 s left");
  EXPECT_EQ(progress_line("run", 5, 10, 2s, 22), "run  50 %  2.00 s left");
  EXPECT_EQ(progress_line("run", 5, 10, 2s, 21), "run  50 %");
  EXPECT_EQ(progress_line("run", 5, 10, 2s, 9), "run  50 %");
  EXPECT_EQ(progress_line("run", 5, 10, 2s, 8), "run  50 ");
  for (std::size_t width = 40; width > 0; --width)
    EXPECT_LE(progress_line("plain runs", 5, 10, 2s, width).size(), width);
}

}  // namespace
}  // namespace takt
