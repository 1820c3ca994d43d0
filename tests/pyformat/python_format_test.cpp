// Expected texts were printed by CPython 3.11, textwrap and tabulate 0.8.9.
#include "pyformat/python_format.h"

#include <gmock/gmock.h>

#include <cmath>

#include "pyformat/python_text.h"
#include "pyformat/tabulate.h"

namespace takt {
namespace {

using testing::ElementsAre;

TEST(PythonFormat, short_form_switches_to_exponents_at_100_and_below_1e_4) {
  EXPECT_EQ(python_short(99.94), "99.9");
  EXPECT_EQ(python_short(99.96), "1e+02");
  EXPECT_EQ(python_short(125.0), "1.25e+02");
  EXPECT_EQ(python_short(2.0), "2.0");
  EXPECT_EQ(python_short(0.0), "0.0");
  EXPECT_EQ(python_short(1e-4), "0.0001");
  EXPECT_EQ(python_short(9.999e-5), "0.0001");
  EXPECT_EQ(python_short(1.5e-5), "1.5e-05");
  EXPECT_EQ(python_short(-std::nan("")), "nan");
}

TEST(PythonFormat, repr_is_the_shortest_text_that_reads_back) {
  EXPECT_EQ(python_repr(0.002896409999999999), "0.002896409999999999");
  EXPECT_EQ(python_repr(1e-5), "1e-05");
  EXPECT_EQ(python_repr(0.0001), "0.0001");
  EXPECT_EQ(python_repr(1e15), "1000000000000000.0");
  EXPECT_EQ(python_repr(1e16), "1e+16");
  EXPECT_EQ(python_repr(-0.0), "-0.0");
}

TEST(PythonFormat, numbers_are_read_as_int_and_float_read_them) {
  EXPECT_EQ(python_int(" 1_000 "), 1000);
  EXPECT_EQ(python_int("1__0"), std::nullopt);
  EXPECT_EQ(python_int("1.0"), std::nullopt);
  EXPECT_EQ(python_float("+.5e1"), 5.0);
  EXPECT_EQ(python_float("1_0.0"), 10.0);
  EXPECT_EQ(python_float("0x10"), std::nullopt);
  EXPECT_EQ(python_float("1e400"), HUGE_VAL);
  EXPECT_EQ(python_float("1e-400"), 0.0);
}

TEST(PythonWrap, breaks_where_textwrap_breaks) {
  EXPECT_THAT(python_wrap("conv(h2d[48],const{64,3,7,7}[50])[52]", 30),
              ElementsAre("conv(h2d[48],const{64,3,7,7}[5", "0])[52]"));
  EXPECT_THAT(python_wrap("layer1.0/conv1-bn-relu-fused/kernel--long_double_dash_name-x", 30),
              ElementsAre("layer1.0/conv1-bn-relu-", "fused/kernel--", "long_double_dash_name-x"));
  EXPECT_THAT(python_wrap("a\tb", 30), ElementsAre("a       b"));
  EXPECT_THAT(python_wrap("  lead", 30), ElementsAre("  lead"));
  EXPECT_THAT(python_wrap("", 30), ElementsAre());
}

TEST(Tabulate, numeric_text_is_written_again_and_aligned_at_the_point) {
  EXPECT_EQ(tabulate({{"236.0"}, {"1127860.0"}, {"1.5"}}, {"x"}, TabulateStyle::orgtbl),
            "|             x |\n"
            "|---------------|\n"
            "| 236           |\n"
            "|   1.12786e+06 |\n"
            "|   1.5         |");
}

TEST(Tabulate, one_text_makes_the_column_text) {
  EXPECT_EQ(tabulate({{"a", TabulateCell::of_real(1e-05)}, {"b", "N/A"}}, {}, TabulateStyle::simple),
            "-  -----\na  1e-05\nb  N/A\n-  -----");
}

}  // namespace
}  // namespace takt
