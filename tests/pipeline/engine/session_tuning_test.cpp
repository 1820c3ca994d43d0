#include "pipeline/stages/session_tuning.h"

#include <gtest/gtest.h>

#include "base/system/affinity.h"

namespace takt {
namespace {

const Tuning own_cores{{"pinning", "own"}}, unbound{{"pinning", "off"}, {"spinning", "off"}};

TEST(SessionTuning, gives_each_session_its_cores_where_there_are_enough) {
  const int cores = static_cast<int>(usable_cores().size());
  EXPECT_EQ(tuning_together({cores}), Tuning()) << "alone";
  EXPECT_EQ(tuning_together({cores, 1}), unbound) << "one thread too many";
  if (cores < 2) GTEST_SKIP() << "one core";
  EXPECT_EQ(tuning_together({cores - 1, 1}), own_cores);
  EXPECT_EQ(tuning_together({std::nullopt, 1}), unbound) << "who knows how many it takes";
}

TEST(SessionTuning, another_device_is_asked_by_one_thread) {
  EXPECT_EQ(threads_of_session("GPU", std::nullopt), 1);
  EXPECT_EQ(threads_of_session("GPU", 8), 1);
  EXPECT_EQ(threads_of_session("CPU", std::nullopt), std::nullopt);
  EXPECT_EQ(threads_of_session("CPU", 3), 3);
}

}  // namespace
}  // namespace takt
