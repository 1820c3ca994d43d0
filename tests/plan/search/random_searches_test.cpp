// Searches on random costs with little memory, each in a process of its own whose time and memory are limited: all of
// them end. Where the best is also known from a dynamic program - one batch alone, whole blocks, nothing slowed down -
// they find it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <map>

#include "base/basics/error.h"
#include "base/statistics/random.h"
#include "places.h"
#include "plan/estimate/cost_table.h"
#include "plan/search/search.h"

namespace takt {
namespace {

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max() / 4;

struct RandomSearch {
  PlanCostTable costs;
  PlanSearchSettings settings;
  std::vector<std::vector<std::int64_t>> memory;  ///< by unit and stage
  std::vector<std::int64_t> limits;               ///< by unit; −1: none
  bool slow_downs = false;
};

RandomSearch random_search(std::uint64_t seed) {
  Random random(seed ^ 0x5eac);
  const auto roll = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  const int stages = static_cast<int>(roll(5, 60)), units = static_cast<int>(roll(1, 4));
  std::vector<std::string> names;
  for (int u = 0; u < units; ++u) names.push_back("U" + std::to_string(u));
  RandomSearch search{PlanCostTable(stages, names), {}, {}, {}, false};
  const bool alike = roll(0, 2) == 0;  // layers of one kind
  std::int64_t all = 0;
  std::vector<std::int64_t> sizes;
  for (int s = 0; s < stages; ++s) all += sizes.emplace_back(alike ? 2 : roll(1, 4));
  for (int u = 0; u < units; ++u) {
    const std::int64_t speed = roll(1, 20);
    for (int s = 1; s <= stages; ++s)
      if (u == 0 || roll(0, 99) >= 3)
        search.costs.set_time({s, s}, u, Nanoseconds(1000 * (alike ? 40 : roll(10, 80)) / speed),
                              Nanoseconds(100 / speed));
    search.memory.push_back(sizes);
    search.limits.push_back(roll(0, 9) < 7 ? roll(1, std::max<std::int64_t>(2, all * 3 / (2 * units))) : -1);
    if (search.limits.back() >= 0) search.costs.set_memory(u, sizes, search.limits.back());
  }
  const std::int64_t moved = roll(0, 3) * 500;
  for (int cut = 0; cut <= stages; ++cut)
    for (int from = PlanCosts::host; from < units; ++from)
      for (int to = PlanCosts::host; to < units; ++to)
        if (from != to) search.costs.set_transfer(cut, from, to, Nanoseconds(moved));
  search.costs.set_divide({Nanoseconds(300), Nanoseconds(200)});
  search.slow_downs = roll(0, 4) == 0;
  for (int u = 0; u < units && search.slow_downs; ++u)
    for (int beside = 0; beside < units; ++beside)
      if (u != beside) search.costs.set_slow_down(u, beside, 1 + static_cast<double>(roll(0, 50)) / 100);
  search.settings.objective = roll(0, 2) == 0 ? PlanObjective::throughput : PlanObjective::latency;
  search.settings.divide = roll(0, 1) == 0;
  search.settings.units_once = roll(0, 2) == 0;
  search.settings.top = 20;
  return search;
}

/// The least latency of whole blocks; `none`: nothing fits. Stages are placed one by one, as a block takes the sum of
/// its stages, and a unit that serves one block cannot come again.
class LeastLatency {
 public:
  explicit LeastLatency(const RandomSearch& search) : search_(search), costs_(search.costs) {}

  std::int64_t value() {
    std::map<State, std::int64_t> states{{State{}, 0}};
    for (int stage = 1; stage <= costs_.stages(); ++stage) {
      std::map<State, std::int64_t> next;
      for (const auto& [state, time] : states)
        for (int unit = 0; unit < units(); ++unit) place(stage, unit, state, time, next);
      states = std::move(next);
    }
    std::int64_t best = none;
    for (const auto& [state, time] : states)
      best = std::min(best, time + costs_.transfer(costs_.stages(), state.end, PlanCosts::host)->count());
    return best;
  }

 private:
  struct State {
    int end = PlanCosts::host;
    unsigned used = 0;
    std::array<std::int64_t, 4> kept{};
    auto operator<=>(const State&) const = default;
  };
  int units() const { return static_cast<int>(costs_.units().size()); }

  void place(int stage, int unit, State state, std::int64_t time, std::map<State, std::int64_t>& next) const {
    const auto alone = costs_.time({stage, stage}, unit, 1);
    const auto u = static_cast<std::size_t>(unit);
    if (!alone) return;
    if (search_.settings.units_once && state.end != unit && (state.used >> unit) % 2 == 1) return;
    if (search_.limits[u] >= 0) {
      state.kept[u] += search_.memory[u][static_cast<std::size_t>(stage - 1)];
      if (state.kept[u] > search_.limits[u]) return;
    }
    time += alone->count() + costs_.transfer(stage - 1, state.end, unit)->count();
    state.end = unit;
    if (search_.settings.units_once) state.used |= 1u << unit;
    const auto [found, is_new] = next.emplace(state, time);
    if (!is_new) found->second = std::min(found->second, time);
  }

  const RandomSearch& search_;
  const PlanCosts& costs_;
};

/// What a search in a process of its own found.
struct Outcome {
  std::int64_t value = none, bound = 0, bytes = 0;
  bool found = false, optimal = false, proven_impossible = false;
};

Outcome outcome_of(const RandomSearch& search) {
  Outcome outcome;
  try {
    const PlanSearch found = search_plans(search.costs, search.settings);
    outcome = {found.plans.front().value.count(), found.lower_bound.count(), found.bytes, true, found.optimal(), false};
  } catch (const Error& error) {
    outcome.proven_impossible = std::string(error.what()).find("no plan is possible") != std::string::npos;
  }
  return outcome;
}

struct Measured {
  Outcome outcome;
  bool ended = false;  ///< and was not killed
  double seconds = 0;  ///< of a processor
  long kilobytes = 0;  ///< resident, at most
};

Measured in_a_process(const RandomSearch& search) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    const rlimit seconds{90, 90};  // ten times what the longest takes: a slow machine is no failure
    setrlimit(RLIMIT_CPU, &seconds);
    const Outcome outcome = outcome_of(search);
    const bool written = write(ends[1], &outcome, sizeof outcome) == sizeof outcome;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  Measured measured;
  const bool whole = read(ends[0], &measured.outcome, sizeof measured.outcome) == sizeof measured.outcome;
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  measured.ended = whole && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  measured.seconds = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                     static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  measured.kilobytes = usage.ru_maxrss;
  return measured;
}

/// How many: 24, or what the environment says (TAKT_RANDOM_SEARCHES=200).
std::uint64_t number_of_searches() {
  const char* wanted = std::getenv("TAKT_RANDOM_SEARCHES");
  return wanted ? std::strtoull(wanted, nullptr, 10) : 24;
}

TEST(RandomSearches, end_in_bounded_time_and_memory_and_find_what_a_dynamic_program_finds) {
  if (is_sanitized()) GTEST_SKIP() << only_more_cases;
  int exact = 0, proven = 0;
  double longest = 0;
  long largest = 0;
  for (std::uint64_t seed = 0; seed < number_of_searches(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomSearch search = random_search(seed);
    const Measured measured = in_a_process(search);
    ASSERT_TRUE(measured.ended);
    EXPECT_LT(measured.kilobytes, 500'000);
    longest = std::max(longest, measured.seconds);
    largest = std::max(largest, measured.kilobytes);
    const Outcome& outcome = measured.outcome;
    if (search.settings.objective != PlanObjective::latency) continue;
    const std::int64_t least = LeastLatency(search).value();
    if (search.settings.divide) {
      // Dividing blocks only adds plans.
      if (least < none) {
        EXPECT_TRUE(outcome.found);
        EXPECT_LE(outcome.value, least);
      }
      continue;
    }
    ++exact;
    proven += outcome.optimal ? 1 : 0;
    EXPECT_EQ(outcome.found, least < none);
    if (outcome.found) {
      EXPECT_EQ(outcome.value, least);
      EXPECT_LE(outcome.bound, least);
    } else {
      proven += outcome.proven_impossible ? 1 : 0;
    }
  }
  std::printf("%d searches whose best is known, %d proven; at most %.1f s and %.0f MB\n", exact, proven, longest,
              static_cast<double>(largest) / 1024);
}

}  // namespace
}  // namespace takt
