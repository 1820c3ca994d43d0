#include "base/basics/units.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/basics/error.h"
#include "refused.h"

using namespace std::chrono_literals;

namespace takt {
namespace {

TEST(Units, sizes_need_a_unit_and_know_both_thousands) {
  EXPECT_EQ(parse_bytes("400MB"), 400e6);
  EXPECT_EQ(parse_bytes("1.5GiB"), 1.5 * 1024 * 1024 * 1024);
  EXPECT_EQ(parse_bytes("70b"), 70);
  for (const char* bad : {"", "400", "MB", "-1MB", "4 00MB", "nanMB", "infGB", "1e400GB", "12MBs"})
    EXPECT_EQ(refused_with([&] { parse_bytes(bad); }),
              "'" + std::string(bad) + "': not a size; write a number with its unit, such as 400MB or 2GiB");
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
    EXPECT_EQ(refused_with([&] { parse_duration(text); }),
              "'" + std::string(text) + "': not a duration; write a number with its unit, such as 500us, 20ms or 2s");
  EXPECT_EQ(refused_with([] { parse_duration("5\n"); }).find('\n'), std::string::npos);
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

TEST(Units, a_figure_changes_its_form_where_rounding_would_make_four_digits) {
  using D = Duration;
  for (const auto& [time, text] : {std::pair(D(0.9994), "999 ns"),
                                   {D(0.9995), "1.00 µs"},
                                   {D(9.9949), "9.99 µs"},
                                   {D(9.995), "10.0 µs"},
                                   {D(99.949), "99.9 µs"},
                                   {D(99.95), "100 µs"},
                                   {D(999.49), "999 µs"},
                                   {D(999.5), "1.00 ms"},
                                   {D(999.49e3), "999 ms"},
                                   {D(999.5e3), "1.00 s"},
                                   {D(1e12), "1000000 s"},
                                   {D(-0.0004), "-0.40 ns"}})
    EXPECT_EQ(format_duration(time), text);
  EXPECT_EQ(format_duration(D(INFINITY)), "–");
  for (const auto& [bytes, text] : {std::pair(1023.4, "1023 B"),
                                    {1023.5, "1.00 KiB"},
                                    {1023.4 * 1024, "1023 KiB"},
                                    {1023.5 * 1024, "1.00 MiB"},
                                    {0x1p40, "1.00 TiB"},
                                    {0x1p50, "1.00 PiB"},
                                    {0x1p61, "2048 PiB"},
                                    {-2048.0, "-2.00 KiB"},
                                    {0.0, "0 B"}})
    EXPECT_EQ(format_bytes(bytes), text);
  for (const auto& [value, text] : {std::pair(999.4, "999 B/s"),
                                    {999.5, "1.00 kB/s"},
                                    {1e6, "1.00 MB/s"},
                                    {0.5, "0.50 B/s"},
                                    {7.0, "7 B/s"},
                                    {1e18, "1.00 EB/s"},
                                    {1e21, "1000 EB/s"},
                                    {-1500.0, "-1.50 kB/s"}})
    EXPECT_EQ(format_quantity(value, "B/s"), text);
  for (const auto& [text, bytes] : {std::pair("1kB", 1e3),
                                    {"1mb", 1e6},
                                    {"1GB", 1e9},
                                    {"1TB", 1e12},
                                    {"1KiB", 1024.0},
                                    {"1MIB", 0x1p20},
                                    {"1GiB", 0x1p30},
                                    {"1TiB", 0x1p40},
                                    {"0B", 0.0}})
    EXPECT_EQ(parse_bytes(text), bytes) << text;
}

}  // namespace
}  // namespace takt
