#include "flow/pressure_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace takt {
namespace {

TEST(PressureLaw, by_hand) {
  EXPECT_DOUBLE_EQ(slow_down_under(PressureLaw::linear, 0.5, 0.4), 1.2);
  EXPECT_DOUBLE_EQ(slow_down_under(PressureLaw::share, 0.5, 0.4), 1);  // there is enough for both
  EXPECT_DOUBLE_EQ(slow_down_under(PressureLaw::share, 0.7, 0.6), 1.3);
  EXPECT_DOUBLE_EQ(slow_down_under(PressureLaw::queue, 1, 0.5), 1 + 0.5 / 3);
  EXPECT_NEAR(slow_down_under(PressureLaw::cliff, 1, 0.5), 1.5, 1e-12);  // the edge is at 1 − s/2
  EXPECT_NEAR(slow_down_under(PressureLaw::saturating, 1, 0.5), 1 + (1 - std::exp(-1.5)) / (1 - std::exp(-3.0)), 1e-12);
}

// The edge is at 1 − s/2 = 0.7; worked out by another program.
TEST(PressureLaw, a_cliff_rises_around_its_edge_and_not_much_beyond_full_pressure) {
  for (const auto& [pressure, factor] : {std::pair(0.3, 1.0107654647143407),
                                         {0.7, 1.3146632216299248},
                                         {0.75, 1.3918707970868416},
                                         {1.0, 1.6},
                                         {2.0, 1.6298994133960525}})
    EXPECT_NEAR(slow_down_under(PressureLaw::cliff, 0.6, pressure), factor, 1e-12) << pressure;
}

TEST(PressureLaw, and_ways_to_combine_have_names) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(pressure_law_names(), (Names{"linear", "share", "queue", "cliff", "saturating"}));
  EXPECT_EQ(combination_names(), (Names{"multiply", "add", "largest"}));
  EXPECT_EQ(name_of(PressureLaw::cliff), "cliff");
  EXPECT_EQ(pressure_law_named("saturating"), PressureLaw::saturating);
  EXPECT_EQ(name_of(Combination::largest), "largest");
  EXPECT_EQ(combination_named("multiply"), Combination::multiply);
}

TEST(PressureLaw, pressures_of_several_add_up) {
  EXPECT_DOUBLE_EQ(slow_down_under(PressureLaw::share, 0.5, 0.5 + 0.5), 1.5);  // three that want half of it each
  EXPECT_DOUBLE_EQ(slow_down_under(PressureLaw::share, 0.85, 3 * 0.85), 3.4);
  EXPECT_DOUBLE_EQ(slow_down_under(PressureLaw::linear, 0.5, 1.6), 1.8);
  EXPECT_DOUBLE_EQ(slow_down_under(PressureLaw::queue, 0.5, 3), 2.5);  // in proportion, once it is full
  for (const std::string_view name : pressure_law_names()) {
    const PressureLaw law = *pressure_law_named(name);
    EXPECT_DOUBLE_EQ(slow_down_under(law, 0, 3), 1) << name;
    for (double p = 0.05; p <= 7; p += 0.05) {
      EXPECT_GE(slow_down_under(law, 1, p), slow_down_under(law, 1, p - 0.05)) << name;
      // So n of a kind never do less than one: n / (1 + (n − 1)).
      EXPECT_LE(slow_down_under(law, 1, p), 1 + std::ceil(p) + 1e-12) << name;
    }
  }
}

TEST(PressureLaw, full_pressure_costs_the_sensitivity_and_none_costs_nothing) {
  for (const std::string_view name : pressure_law_names()) {
    const PressureLaw law = *pressure_law_named(name);
    for (const double s : {0.0, 0.3, 1.0}) {
      EXPECT_DOUBLE_EQ(slow_down_under(law, s, 0), 1) << name;
      EXPECT_NEAR(slow_down_under(law, s, 1), 1 + s, 1e-12) << name;
      for (double p = 0.05; p <= 1; p += 0.05)
        EXPECT_GE(slow_down_under(law, s, p), slow_down_under(law, s, p - 0.05)) << name;
    }
  }
  EXPECT_FALSE(pressure_law_named("cubic"));
}

double together(Combination how, std::initializer_list<double> factors) {
  Combined combined(how);
  for (const double factor : factors) combined.add(factor);
  return combined.factor();
}

TEST(PressureLaw, slow_downs_by_several_resources) {
  EXPECT_DOUBLE_EQ(together(Combination::multiply, {1.5, 1.0, 1.2}), 1.8);
  EXPECT_DOUBLE_EQ(together(Combination::add, {1.5, 1.0, 1.2}), 1.7);
  EXPECT_DOUBLE_EQ(together(Combination::largest, {1.5, 1.0, 1.2}), 1.5);
  EXPECT_DOUBLE_EQ(together(Combination::largest, {}), 1);
  EXPECT_EQ(combination_named("add"), Combination::add);
  EXPECT_FALSE(combination_named("sum"));
}

}  // namespace
}  // namespace takt
