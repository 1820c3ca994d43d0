// What stands between the values of events: keys, punctuation and blanks, of which a writer repeats the same few forms
// millions of times. A parser that knows them needs one comparison where it would look at twenty bytes.
//
// The forms are a tree. A step holds the text from the end of one value to the start of the next and says what that
// value is; the steps after it are what was seen to follow. An event that leaves the tree is parsed in the general way
// and then learned. That costs a try that ends at the first difference, so odd files lose little.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace takt::chrome {

/// What follows the text of a step: a value, or nothing.
enum class Field : std::uint8_t {
  name,
  category,
  process,
  thread,
  start,
  duration,
  arg,
  args,
  flow_id,
  bind_id,
  binds_enclosing,
  flow_in,
  flow_out,
  instant_scope,
  odd_phase,  ///< a phase that is no text
  other,
  phase,  ///< with its value, which is part of the step's text
  end,
};

/// A step as the general parser met it.
struct SeenStep {
  std::string_view text{};  ///< from the end of the value before to the value; of `phase` and `end` all of it
  Field field{};
  char phase = 0;         ///< of Field::phase
  std::uint32_t arg = 0;  ///< of Field::arg: the number of its key's text
};

/// Not thread-safe; grows to a bounded size.
class EventShapes {
 public:
  static constexpr std::uint32_t root = 0;
  static constexpr std::size_t readable = 64;  ///< bytes that must be readable after the end of a parsed text

  struct Step {
    std::array<char, 64> text{};  // zeros after its end
    std::array<char, 8> last{};   // ones where the last word of the text has bytes
    std::uint32_t words = 0, length = 0;
    std::ptrdiff_t in_last_word = 0;            // bytes
    std::uint32_t first_next = 0, sibling = 0;  // 0: none
    std::uint32_t arg = 0;
    Field field{};
    char phase = 0;
  };

  EventShapes() : steps_(1) {}

  /// The step after step `at` whose text stands at `p`; 0: none.
  std::uint32_t next(std::uint32_t at, const char* p, const char* end) const {
    std::uint32_t step = steps_[at].first_next;
    while (step != 0 && !stands_at(steps_[step], p, end)) step = steps_[step].sibling;
    return step;
  }
  const Step& step(std::uint32_t number) const { return steps_[number]; }

  /// Remembers a whole event. One with longer texts than a step holds is left out, and so is the thousandth form.
  void learn(std::span<const SeenStep> event);

 private:
  static std::uint64_t word(const char* p) {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    return word;
  }
  static bool stands_at(const Step& step, const char* p, const char* end) {
    const char* text = step.text.data();
    for (std::uint32_t i = 1; i < step.words; ++i, p += 8, text += 8) {
      if (word(p) != word(text)) return false;
    }
    const bool same = ((word(p) ^ word(text)) & word(step.last.data())) == 0;
    return same && end - p >= step.in_last_word;
  }
  std::uint32_t add(std::uint32_t at, const SeenStep& seen);

  std::vector<Step> steps_;
};

}  // namespace takt::chrome
