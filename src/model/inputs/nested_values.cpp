#include "model/inputs/nested_values.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

constexpr std::size_t deepest = 64;

}  // namespace

void NestedValues::fail(const std::string& what) const {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}", where_, what));
}

void NestedValues::fail_ragged() const { fail("the list is ragged; give all lists of one depth the same length"); }

void NestedValues::count_item() {
  if (is_done_) fail("there is more after the end of the list; write one list");
  if (counts_.empty())
    is_done_ = true;
  else
    ++counts_.back();
}

void NestedValues::open() {
  if (counts_.size() == deepest) fail(fmt::format("lists are nested more than {} deep", deepest));
  if (is_done_) fail("there is more after the end of the list; write one list");
  if (!counts_.empty()) ++counts_.back();
  counts_.push_back(0);
  if (dims_.size() < counts_.size()) dims_.push_back(-1);
  if (kind_ != Kind::none && counts_.size() > depth_of_values_) fail_ragged();
}

void NestedValues::close() {
  if (counts_.empty()) fail("there is a ']' without its '['");
  std::int64_t& dim = dims_[counts_.size() - 1];
  if (dim >= 0 && dim != counts_.back()) fail_ragged();
  dim = counts_.back();
  counts_.pop_back();
  if (counts_.empty()) is_done_ = true;
}

void NestedValues::count_value(Kind kind) {
  count_item();
  if (counts_.size() != dims_.size()) fail_ragged();
  depth_of_values_ = counts_.size();
  const bool is_number = kind == Kind::integer || kind == Kind::real;
  const bool was_number = kind_ == Kind::integer || kind_ == Kind::real;
  if (kind_ == Kind::none || kind_ == kind) {
    kind_ = kind;
  } else if (!is_number || !was_number) {
    fail("numbers, booleans and strings are mixed; use one kind");
  } else if (kind == Kind::real) {
    make_real();
  }
}

double NestedValues::exactly(std::int64_t integer) const {
  const auto value = static_cast<double>(integer);
  if (value >= 0x1p63 || static_cast<std::int64_t>(value) != integer)
    fail(fmt::format("{} is mixed with numbers with a decimal point, and has too many digits to be one of them",
                     integer));
  return value;
}

void NestedValues::make_real() {
  kind_ = Kind::real;
  if (is_large_) fail("an integer above 2^63 is mixed with numbers with a decimal point; write it with an exponent");
  for (auto& cell : cells_) cell = std::bit_cast<std::uint64_t>(exactly(static_cast<std::int64_t>(cell)));
}

void NestedValues::add(std::int64_t value) {
  count_value(Kind::integer);
  if (kind_ == Kind::real) return cells_.push_back(std::bit_cast<std::uint64_t>(exactly(value)));
  is_negative_ |= value < 0;
  if (is_negative_ && is_large_) fail("negative numbers are mixed with numbers above 2^63; no integer type holds both");
  cells_.push_back(static_cast<std::uint64_t>(value));
}

void NestedValues::add(std::uint64_t value) {
  if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return add(static_cast<std::int64_t>(value));
  count_value(Kind::integer);
  if (kind_ == Kind::real)
    fail("an integer above 2^63 is mixed with numbers with a decimal point; write it with an exponent");
  is_large_ = true;
  if (is_negative_) fail("negative numbers are mixed with numbers above 2^63; no integer type holds both");
  cells_.push_back(value);
}

void NestedValues::add(double value) {
  count_value(Kind::real);
  cells_.push_back(std::bit_cast<std::uint64_t>(value));
}

void NestedValues::add(bool value) {
  count_value(Kind::boolean);
  flags_.push_back(value ? std::byte{1} : std::byte{0});
}

void NestedValues::add(std::string value) {
  count_value(Kind::string);
  strings_.push_back(std::move(value));
}

void NestedValues::add_word(std::string_view word) {
  if (word == "true" || word == "True") return add(true);
  if (word == "false" || word == "False") return add(false);
  if (word == "nan") return add(std::numeric_limits<double>::quiet_NaN());
  if (word == "inf") return add(std::numeric_limits<double>::infinity());
  if (word == "-inf") return add(-std::numeric_limits<double>::infinity());
  std::string_view digits = word;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  // from_chars also knows "infinity" and "nan(…)"; a number here is made of these characters only.
  const bool is_number = !digits.empty() && digits.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
  if (!is_number) fail(fmt::format("'{}' is not a number, true, false or a string in double quotes", printable(word)));
  if (auto integer = number_in<std::int64_t>(digits)) return add(*integer);
  if (auto large = number_in<std::uint64_t>(digits)) return add(*large);
  const bool is_integer = digits.find_first_of(".eE") == std::string_view::npos;
  auto real = number_in<double>(digits);
  if (is_integer && real) fail(fmt::format("'{}' is larger than any integer type holds", printable(word)));
  if (!real) fail(fmt::format("'{}' is not a number that a type can hold", printable(word)));
  add(*real);
}

GivenTensor NestedValues::take() && {
  GivenTensor given;
  given.as = GivenAs::written;
  given.tensor.shape = std::move(dims_);
  switch (kind_) {
    case Kind::none:  // an empty list: of whatever type the model wants
    case Kind::integer:
      given.tensor.type = is_large_ ? ElementType::u64 : ElementType::i64;
      break;
    case Kind::real:
      given.tensor.type = ElementType::f64;
      break;
    case Kind::boolean:
      given.tensor.type = ElementType::boolean;
      given.tensor.bytes = std::move(flags_);
      return given;
    case Kind::string:
      given.tensor.type = ElementType::string;
      given.tensor.strings = std::move(strings_);
      return given;
  }
  given.tensor.bytes.resize(cells_.size() * sizeof(std::uint64_t));
  if (!cells_.empty()) std::memcpy(given.tensor.bytes.data(), cells_.data(), given.tensor.bytes.size());
  return given;
}

}  // namespace takt
