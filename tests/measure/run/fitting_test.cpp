#include "measure/open/fitting.h"

#include <gtest/gtest.h>

#include <random>

#include "base/basics/error.h"
#include "measure/run/fake_session.h"
#include "places.h"
#include "refused.h"

namespace takt {
namespace {

/// Times of `mean_us` on average with `spread` of noise, the same in every run of the test.
std::unique_ptr<Session> noisy_session(double mean_us, double spread, std::uint64_t seed) {
  auto session = std::make_unique<FakeSession>();
  session->next_time = [=, random = std::mt19937_64(seed)]() mutable {
    const double noise = static_cast<double>(random() >> 11) * 0x1p-52 - 1.0;
    return Nanoseconds(static_cast<std::int64_t>(mean_us * 1000 * (1 + spread * noise)));
  };
  return session;
}

const std::vector<Candidate> three{{std::nullopt, {}}, {1, {}}, {std::nullopt, {{"memory_pattern", "off"}}}};

TEST(Fitting, takes_the_fastest_of_those_that_are_faster_beyond_noise) {
  const auto result = fit(three, [](const Candidate& candidate) {
    return noisy_session(candidate.threads ? 900 : candidate.tuning.empty() ? 1000 : 800, 0.05, 7);
  });
  EXPECT_EQ(result.best, 2u);
  ASSERT_TRUE(result.rows[2].time_ratio);
  EXPECT_NEAR(result.rows[2].time_ratio->low, 0.8, 0.05);
  EXPECT_FALSE(result.rows[0].time_ratio);
}

TEST(Fitting, stays_with_the_defaults_when_only_noise_tells_candidates_apart) {
  if (is_sanitized()) GTEST_SKIP() << only_more_cases;
  int wrong = 0;
  for (std::uint64_t trial = 0; trial < 100; ++trial) {
    std::uint64_t seed = trial * 3;
    wrong += fit(three, [&](const Candidate&) { return noisy_session(1000, 0.3, ++seed); }).best != 0;
  }
  EXPECT_LE(wrong, 10);
}

TEST(Fitting, another_runtime_or_precision_is_named_but_not_measured_with) {
  const std::vector<Candidate> four{{std::nullopt, {}},
                                    {1, {}},
                                    {std::nullopt, {}, "other", std::nullopt},
                                    {std::nullopt, {}, "", ElementType::bf16}};
  const auto result = fit(four, [](const Candidate& candidate) {
    return noisy_session(candidate.threads                 ? 900
                         : !candidate.runtime.empty()      ? 400
                         : candidate.precision.has_value() ? 600
                                                           : 1000,
                         0.05, 7);
  });
  EXPECT_EQ(result.best, 1u);
  EXPECT_EQ(result.most_helpful, 2u);
}

TEST(Fitting, what_cannot_be_opened_is_left_out_with_the_reason_and_settings_of_the_runtime_must_open) {
  const std::vector<Candidate> three_others{
      {std::nullopt, {}}, {std::nullopt, {}, "other", std::nullopt}, {std::nullopt, {}, "", ElementType::f16}};
  const auto open = [](const Candidate& candidate) -> std::unique_ptr<Session> {
    if (!candidate.runtime.empty()) throw Error(ErrorKind::unsupported, "it lacks an operator");
    return candidate.precision ? nullptr : noisy_session(1000, 0.05, 7);
  };
  const auto result = fit(three_others, open);
  ASSERT_EQ(result.rows.size(), 1u);
  EXPECT_EQ(result.not_tried, std::vector<std::string>{"runtime other: it lacks an operator"});
  EXPECT_EQ(refused_with([&] {
              fit(three, [](const Candidate& candidate) -> std::unique_ptr<Session> {
                if (candidate.threads) throw Error(ErrorKind::runtime, "no thread");
                return noisy_session(1000, 0.05, 7);
              });
            }),
            "no thread");
}

TEST(Fitting, says_settings_in_words) {
  EXPECT_EQ(to_string(three[0]), "defaults");
  EXPECT_EQ(to_string(three[1]), "threads 1");
  EXPECT_EQ(to_string(three[2]), "memory pattern off");
  EXPECT_EQ(to_string({2, {}, "openvino", ElementType::bf16}), "runtime openvino, precision bf16, threads 2");
}

}  // namespace
}  // namespace takt
