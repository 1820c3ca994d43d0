#include "core/table.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

using namespace std::chrono_literals;

namespace takt {
namespace {

struct Row {
  std::string name;
  std::optional<double> flops;
  Duration total;
};

constexpr Column<Row> row_columns[] = {
    {"name", "Name", [](const Row& row) -> Cell { return row.name; }, "who"},
    {"flops", "FLOPs", [](const Row& row) { return optional_cell(row.flops); }, "work"},
    {"total_us", "Total", [](const Row& row) -> Cell { return row.total; }, "time"},
};

Table sample() {
  std::vector<Row> rows{{"conv,\"1\"|x", 2.5, 1500us}, {"relu", std::nullopt, 2us}};
  return make_table<Row>("operators", row_columns, rows);
}

TEST(Table, missing_values_are_never_zero) {
  EXPECT_EQ(to_csv(sample()), "name,flops,total_us\n\"conv,\"\"1\"\"|x\",2.5,1500\nrelu,,2\n");
  auto json = nlohmann::json::parse(to_json(std::vector{sample()}, R"({"takt_version":"1"})"));
  EXPECT_EQ(json["takt"]["takt_version"], "1");
  EXPECT_TRUE(json["tables"]["operators"][1]["flops"].is_null());
  EXPECT_EQ(json["tables"]["operators"][0]["total_us"], 1500);
  EXPECT_NE(to_text(sample()).find("–"), std::string::npos);
}

TEST(Table, markdown_escapes_bars) { EXPECT_NE(to_markdown(sample()).find("conv,\"1\"\\|x"), std::string::npos); }

TEST(Table, text_is_aligned_and_within_its_width) {
  EXPECT_EQ(to_text(sample()),
            "Name        FLOPs    Total\n"
            "──────────────────────────\n"
            "conv,\"1\"|x   2.50  1.50 ms\n"
            "relu            –  2.00 µs\n");
  Table wide = sample();
  wide.rows[0][0] = std::string(200, 'n') + "tail";
  std::string text = to_text(wide, 60);
  EXPECT_NE(text.find("…"), std::string::npos);
  EXPECT_NE(text.find("tail"), std::string::npos);
}

TEST(Table, json_has_no_infinities) {
  Table table{"t", {{"a", "A", ""}}, {{Cell(std::numeric_limits<double>::infinity())}}};
  EXPECT_TRUE(nlohmann::json::parse(to_json(std::vector{table}, "{}"))["tables"]["t"][0]["a"].is_null());
}

}  // namespace
}  // namespace takt
