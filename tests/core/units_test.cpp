#include "core/units.h"

#include <gtest/gtest.h>

#include "core/error.h"

using namespace std::chrono_literals;

namespace takt {
namespace {

TEST(Units, sizes_need_a_unit_and_know_both_thousands) {
  EXPECT_EQ(parse_bytes("400MB"), 400e6);
  EXPECT_EQ(parse_bytes("1.5GiB"), 1.5 * 1024 * 1024 * 1024);
  EXPECT_EQ(parse_bytes("70b"), 70);
  for (const char* bad : {"", "400", "MB", "-1MB", "4 00MB", "nanMB", "infGB", "1e400GB", "12MBs"})
    EXPECT_THROW(parse_bytes(bad), Error) << bad;
}

TEST(ParseDuration, reads_numbers_with_units) {
  EXPECT_EQ(parse_duration("500us"), 500us);
  EXPECT_EQ(parse_duration("2s"), 2s);
  EXPECT_EQ(parse_duration("1.5ms"), 1500us);
  EXPECT_EQ(parse_duration("10ns"), 10ns);
  EXPECT_EQ(parse_duration("7µs"), 7us);
  EXPECT_EQ(parse_duration("1.5min"), 90s);
  EXPECT_EQ(parse_duration("2h"), 120min);
}

TEST(ParseDuration, refuses_bare_numbers_and_other_text) {
  for (const char* text : {"500", "", "ms", "5 ms", "5parsec", "infs", "nans"})
    EXPECT_THROW(parse_duration(text), Error) << text;
}

TEST(FormatDuration, picks_the_unit_with_three_digits) {
  EXPECT_EQ(format_duration(0ns), "0 ns");
  EXPECT_EQ(format_duration(870ns), "870 ns");
  EXPECT_EQ(format_duration(12300ns), "12.3 µs");
  EXPECT_EQ(format_duration(2ms), "2.00 ms");
  EXPECT_EQ(format_duration(-2ms), "-2.00 ms");
  EXPECT_EQ(format_duration(90s), "90.0 s");
  EXPECT_EQ(format_duration(Duration(999.7)), "1.00 ms");  // not "1000 µs"
}

TEST(FormatBytes, counts_by_1024) {
  EXPECT_EQ(format_bytes(870), "870 B");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_bytes(3.0 * 1024 * 1024 * 1024), "3.00 GiB");
}

TEST(FormatQuantity, counts_by_1000) {
  EXPECT_EQ(format_quantity(8.2e9, "FLOP"), "8.20 GFLOP");
  EXPECT_EQ(format_quantity(12, "FLOP"), "12 FLOP");
}

}  // namespace
}  // namespace takt
