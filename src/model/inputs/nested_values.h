// Lists of lists of numbers, booleans or strings, put together into one tensor with NumPy's shape.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/inputs/given_tensor.h"

namespace takt {

/// Fed by a parser, value by value. Whatever does not make a tensor throws Error(bad_input): "WHERE: the list is
/// ragged…". Integers are kept exactly (int64, or uint64 where one needs it and none is negative); one number with a
/// point or an exponent makes all of them float64. Not thread-safe.
class NestedValues {
 public:
  explicit NestedValues(std::string_view where) : where_(where) {}

  void open();   ///< "["
  void close();  ///< "]"
  bool is_closed() const { return counts_.empty(); }

  void add(std::int64_t value);
  void add(std::uint64_t value);
  void add(double value);
  void add(bool value);
  void add(std::string value);
  /// An integer, a number with point or exponent, true or false (also with a capital), nan, inf or -inf, in decimal.
  void add_word(std::string_view word);

  /// Needs is_closed() and one value or list at least; a single value has the shape {}.
  GivenTensor take() &&;

  [[noreturn]] void fail(const std::string& what) const;

 private:
  enum class Kind { none, integer, real, boolean, string };
  void count_value(Kind kind);
  void count_item();
  void make_real();
  double exactly(std::int64_t integer) const;
  [[noreturn]] void fail_ragged() const;

  std::string where_;
  Kind kind_ = Kind::none;
  bool is_negative_ = false, is_large_ = false;  ///< some integer is below 0; above the greatest int64
  bool is_done_ = false;                         ///< the outermost value or list is complete
  std::vector<std::int64_t> counts_;             ///< items so far, per open list
  std::vector<std::int64_t> dims_;               ///< per depth, once a list of that depth was closed; -1 before
  std::size_t depth_of_values_ = 0;              ///< meaningful once kind_ is not none
  std::vector<std::uint64_t> cells_;             ///< int64, uint64 or float64, as bits
  std::vector<std::byte> flags_;
  std::vector<std::string> strings_;
};

}  // namespace takt
