#include "model/graph/limits.h"

#include <gtest/gtest.h>

namespace takt {
namespace {

TEST(Limits, are_written_in_place_of_a_name) {
  EXPECT_EQ(to_symbol({1, 10}), "1..10");
  EXPECT_EQ(to_symbol({0, 5}), "0..5");
  EXPECT_EQ(to_symbol({2, std::nullopt}), "2..");
  EXPECT_EQ(to_symbol({0, std::nullopt}), "");
}

TEST(Limits, are_read_as_they_were_written) {
  for (const Limits& limits : {Limits{1, 10}, {0, 5}, {2, std::nullopt}}) {
    const auto read = limits_of({{}, to_symbol(limits)});
    ASSERT_TRUE(read);
    EXPECT_EQ(read->least, limits.least);
    EXPECT_EQ(read->most, limits.most);
  }
  for (const char* name : {"", "batch", "..", "..5", "a..b", "1..b", "1.5", "1 .. 5"})
    EXPECT_FALSE(limits_of({{}, name})) << name;
  EXPECT_FALSE(limits_of({4, "1..10"})) << "it has a number";
}

TEST(Limits, are_no_name) {
  EXPECT_TRUE(is_named({{}, "batch"}));
  EXPECT_FALSE(is_named({{}, "1..10"}));
  EXPECT_FALSE(is_named({{}, ""}));
  EXPECT_FALSE(is_named({4, "batch"}));
}

TEST(Limits, allow_both_ends_and_what_is_between) {
  const Dim between{{}, "2..4"}, from{{}, "3.."};
  for (const auto& [size, fits] : {std::pair{1, false}, {2, true}, {4, true}, {5, false}})
    EXPECT_EQ(allows(between, size), fits) << size;
  EXPECT_FALSE(allows(from, 2));
  EXPECT_TRUE(allows(from, 1'000'000));
  EXPECT_TRUE(allows({7, ""}, 7));
  EXPECT_FALSE(allows({7, ""}, 8));
  EXPECT_TRUE(allows({{}, "n"}, 8));
}

}  // namespace
}  // namespace takt
