// Names, numbers, times and tensors as programs should not give them, now and then: what random_calls.cpp calls with.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/statistics/random.h"
#include "takt/pipeline_profiler.h"
#include "takt/stage_executor.h"
#include "takt/tensor.h"

namespace takt {

/// The same for the same seed, but for the clock.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15 + 1) {}
  std::int64_t number(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool one_in(int n) { return number(1, n) == 1; }
  template <typename Value>
  Value of(std::initializer_list<Value> values) {
    return values.begin()[number(0, static_cast<std::int64_t>(values.size()) - 1)];
  }

  /// Mostly the first, else something odd.
  std::string name(const char* usual) {
    if (!one_in(6)) return usual;
    return of<std::string>(
        {"", "a\nb", "\x1b[31mred", "\xff\xfe", std::string(3000, 'x'), "ü", std::string("a\0b", 3)});
  }
  int small(int usual) {
    return one_in(8) ? of({0, -1, -3, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) : usual;
  }
  std::chrono::nanoseconds time() {
    const auto now = PipelineProfiler::now();
    if (!one_in(5)) return now + std::chrono::nanoseconds(number(-1'000'000, 1'000'000));
    constexpr auto most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
    return std::chrono::nanoseconds(of<std::int64_t>({0, -1, most, most - 1, least, least + 1, most / 2, least / 2,
                                                      now.count() + (std::int64_t{1} << 60), std::int64_t{1} << 60}));
  }
  std::int64_t batch() {
    return one_in(10) ? of({std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                            std::int64_t{-1}})
                      : number(0, 12);
  }

  SharedTensor tensor() {
    if (one_in(15)) return nullptr;
    auto value = std::make_shared<HostTensor>();
    value->name = name("x");
    value->shape = {number(0, 6), 2};
    if (one_in(4)) value->shape = odd_shape();
    if (one_in(4))
      value->type =
          of({ElementType::i64, ElementType::string, ElementType::undefined, ElementType::u4, ElementType::boolean,
              ElementType::f16, static_cast<ElementType>(99), static_cast<ElementType>(-5)});
    const auto count = element_count(value->shape);
    const auto bytes = count ? byte_count(value->type, *count) : std::nullopt;
    std::size_t size = bytes && *bytes < 4096 ? static_cast<std::size_t>(*bytes) : 0;
    if (one_in(4)) size = static_cast<std::size_t>(number(0, 20));  // mostly too short
    value->bytes = Bytes(std::vector<std::byte>(size));
    if (value->type == ElementType::string)
      value->strings.assign(count && *count < 100 && !one_in(3) ? static_cast<std::size_t>(*count) : 1, "word");
    return value;
  }
  std::vector<SharedTensor> tensors() {
    std::vector<SharedTensor> list;
    for (auto left = number(0, 3); left > 0; --left) list.push_back(tensor());
    return list;
  }
  StageExecutor::InputValues inputs() {
    StageExecutor::InputValues values;
    for (auto left = number(0, 2); left > 0; --left)
      values.emplace_back(one_in(8) ? of<std::size_t>({7, 1023, 1024, std::numeric_limits<std::size_t>::max()}) : 0,
                          tensor());
    return values;
  }
  std::vector<double> ratio(std::size_t parts) {
    if (one_in(6))
      return of<std::vector<double>>({{},
                                      {0.5},
                                      {0.5, 0.6},
                                      {std::nan(""), 0.5},
                                      {-0.5, 1.5},
                                      {0, 1},
                                      {std::numeric_limits<double>::infinity(), 0.5},
                                      {0.3, 0.3, 0.4}});
    return std::vector<double>(parts, 1.0 / static_cast<double>(parts));
  }

 private:
  Random random_;

  Shape odd_shape() {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    return of<Shape>({{},
                      {0, 4},
                      {-1, 2},
                      {most, 2},
                      {most, 0},
                      {0, most},
                      {most, most, 0},
                      {1, 1, 1, 1, 1, 1},
                      {most / 2, 1},
                      {3},
                      {1'000'000, 0}});
  }
};

}  // namespace takt
