#include "cli/line/option_value.h"

#include <fmt/format.h>

#include <charconv>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

template <typename Number>
std::string kinds_of_number(const Option& option) {
  if (option.value == "PERCENT")
    return fmt::format("a share from {:g}% to {:g}%", 100 * option.range->low, 100 * option.range->high);
  std::string text = std::is_integral_v<Number> ? "a whole number" : "a number";
  if (option.range) return text + fmt::format(" from {} to {}", option.range->low, option.range->high);
  return text + (std::is_unsigned_v<Number> ? " from 0 on" : "");
}

/// "2%" as "2e-2"; the decimal digits stay as they were typed. Without the sign a number is a share.
std::string as_share(const std::string& word) {
  return word.ends_with('%') ? word.substr(0, word.size() - 1) + "e-2" : word;
}

template <typename Number>
void read(const Option& option, const std::string& typed, Number& value) {
  const std::string word = option.value == "PERCENT" ? as_share(typed) : typed;
  Number number{};
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), number);
  bool right = code == std::errc() && end == word.data() + word.size();
  if (right && option.range) {
    const auto compared = static_cast<double>(number);
    right = compared >= option.range->low && compared <= option.range->high;  // false for NaN
  }
  if (!right)
    throw UsageError(fmt::format("{} '{}': not {}", option.name(), printable(typed), kinds_of_number<Number>(option)));
  value = number;
}

void read(const Option& option, const std::string& word, std::string& value) {
  value = word;
  if (option.one_of.empty()) return;
  for (const auto& known : option.one_of)
    if (lower_case(word) == lower_case(known)) {
      value = known;
      return;
    }
  const std::string meant = suggestion(word, option.one_of, "");
  throw UsageError(fmt::format("{} '{}': not one of {}{}{}", option.name(), printable(word),
                               fmt::join(option.one_of, ", "), meant.empty() ? "" : "; ", meant));
}

void read(const Option&, const std::string& word, std::filesystem::path& value) { value = word; }

template <typename Value>
void read(const Option& option, const std::string& word, std::optional<Value>& value) {
  read(option, word, value.emplace());
}

template <typename Value>
void take(const Option& option, std::span<const std::string> words, Value& value) {
  if (words.size() > 1)
    throw UsageError(fmt::format("{} is given {} times ('{}'); give it once", option.name(), words.size(),
                                 printable(fmt::format("{}", fmt::join(words, "', '")))));
  read(option, words.front(), value);
}

template <typename Value>
void take(const Option& option, std::span<const std::string> words, std::vector<Value>& values) {
  values.clear();
  for (const auto& word : words) read(option, word, values.emplace_back());
}

/// CLI11 gives "true" for a flag without a value.
void take(const Option& option, std::span<const std::string> words, bool& value) {
  for (const auto& word : words)
    if (word != "true") throw UsageError(fmt::format("{} takes no value ('{}' given)", option.name(), printable(word)));
  value = true;
}

}  // namespace

Option fitted(Option option, const OptionTarget& target) {
  const auto is = [&]<typename Value>(Value*) { return std::holds_alternative<Value*>(target); };
  const bool many_paths = is(static_cast<std::vector<std::filesystem::path>*>(nullptr));
  if (is(static_cast<bool*>(nullptr)))
    option.takes = Takes::nothing;
  else if (many_paths || is(static_cast<std::vector<std::string>*>(nullptr)))
    option.takes = Takes::words;
  else
    option.takes = option.may_stand_alone ? Takes::maybe_a_word : Takes::word;
  option.names_a_file |= many_paths || is(static_cast<std::filesystem::path*>(nullptr));
  return option;
}

void store(const Option& option, std::span<const std::string> words, const OptionTarget& target) {
  std::visit([&](auto* value) { take(option, words, *value); }, target);
}

std::vector<std::string> words_in(std::string_view list) {
  std::vector<std::string> words;
  for (const std::string& part : split(list, ',')) words.emplace_back(trim(part));
  return words;
}

}  // namespace takt
