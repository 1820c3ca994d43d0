// Given values made to fit an input: which shape they take, what is said of it, and what is refused.
#include "model/inputs/fit.h"

#include <gmock/gmock.h>

#include "base/basics/error.h"
#include "model/inputs/literal.h"
#include "model/inputs/nested_values.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Port wanted_port(const std::vector<std::int64_t>& shape) {
  Port port{"x", ElementType::f32, {}};
  for (const std::int64_t size : shape) port.shape.push_back(size < 0 ? Dim{} : Dim{size, ""});
  return port;
}

GivenInput given_of(const Shape& shape, GivenAs as = GivenAs::typed, std::size_t value_bytes = 1) {
  GivenInput given;
  given.where = "cat";
  given.value.as = as;
  given.value.tensor = {"", ElementType::u8, shape, {}, {}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(*element_count(shape)) * value_bytes; ++i)
    given.value.tensor.bytes.push_back(static_cast<std::byte>(i));
  return given;
}

std::vector<int> bytes_of(const HostTensor& tensor) {
  std::vector<int> bytes;
  for (const std::byte byte : tensor.bytes) bytes.push_back(std::to_integer<int>(byte));
  return bytes;
}

/// What is said of it, or why it is refused; nothing where it fits as it is.
std::string said(GivenInput& given, const std::vector<std::int64_t>& wanted, std::optional<std::int64_t> batch = {}) {
  std::vector<std::string> notes;
  try {
    fit_shape(given, wanted_port(wanted), batch, notes);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  EXPECT_LE(notes.size(), 1u);
  return notes.empty() ? "" : notes.front();
}

struct Case {
  Shape given;
  std::vector<std::int64_t> wanted;
  std::string taken_as;  ///< empty: as it is
};

TEST(FitShape, adds_and_drops_ones_in_front_or_takes_the_fixed_shape_of_as_many_values) {
  for (const Case& c : std::vector<Case>{{{2, 3}, {2, 3}, ""},
                                         {{2, 3}, {-1, 3}, ""},
                                         {{3}, {1, 3}, "{1,3}"},
                                         {{3}, {-1, -1, 3}, "{1,1,3}"},
                                         {{1, 1, 3}, {3}, "{3}"},
                                         {{1, 2, 3}, {-1, -1}, "{2,3}"},
                                         {{1}, {}, "{}"},
                                         {{}, {1, 1}, "{1,1}"},
                                         {{6}, {2, 3}, "{2,3}"},
                                         {{2, 3}, {6}, "{6}"},
                                         {{1, 6}, {1, 2, 3}, "{1,2,3}"}}) {
    GivenInput given = given_of(c.given);
    const std::string note = "cat: shape " + to_string(c.given) + " was taken as " + c.taken_as + " for input 'x'";
    EXPECT_EQ(said(given, c.wanted), c.taken_as.empty() ? "" : note);
    EXPECT_EQ(to_string(given.value.tensor.shape), c.taken_as.empty() ? to_string(c.given) : c.taken_as);
  }
}

TEST(FitShape, refuses_what_would_have_to_be_guessed) {
  for (const Case& c : std::vector<Case>{{{3, 1}, {1, 3}, ""},
                                         {{5}, {2, 3}, ""},
                                         {{6}, {-1, 3}, ""},
                                         {{2, 3}, {-1}, ""},
                                         {{2}, {}, ""},
                                         {{0}, {1, 1}, ""}}) {
    GivenInput given = given_of(c.given);
    EXPECT_EQ(said(given, c.wanted), "cat: shape " + to_string(c.given) + " does not fit input 'x', which is " +
                                         to_string(wanted_port(c.wanted).shape) +
                                         " in the model; give values of that shape");
    EXPECT_EQ(given.value.tensor.shape, c.given);
  }
}

TEST(FitShape, leaves_the_first_dimension_to_a_batch) {
  GivenInput rows = given_of({2, 3});
  EXPECT_EQ(said(rows, {4, 3}, 4), "");
  EXPECT_NE(said(rows, {4, 3}), "");
  EXPECT_NE(said(rows, {4, 5}, 4), "");
  GivenInput flat = given_of({6});
  EXPECT_EQ(said(flat, {2, 3}, 2),
            "cat: shape {6} does not fit input 'x', which is {2,3} in the model; give values of "
            "that shape");
  GivenInput one = given_of({1});
  EXPECT_EQ(said(one, {}, 2), "cat: shape {1} was taken as {} for input 'x'");
}

TEST(FitShape, turns_pictures_only_where_they_fit_no_other_way) {
  struct Picture {
    std::vector<std::int64_t> wanted;
    std::string note;
    bool is_turned;
  };
  const std::string turned = "cat: the image {1,1,2,3} was converted to ", first = " for input 'x', channels first";
  const std::string taken = "cat: shape {1,1,2,3} was taken as ", plain = " for input 'x'";
  for (const Picture& picture : std::vector<Picture>{{{1, 3, 1, 2}, turned + "{1,3,1,2}" + first, true},
                                                     {{3, 1, 2}, turned + "{3,1,2}" + first, true},
                                                     {{1, 1, 3, 1, 2}, turned + "{1,1,3,1,2}" + first, true},
                                                     {{-1, 3, -1, -1}, turned + "{1,3,1,2}" + first, true},
                                                     {{1, 1, 2, 3}, "", false},
                                                     {{-1, -1, -1, -1}, "", false},
                                                     {{-1, -1, -1}, taken + "{1,2,3}" + plain, false},
                                                     {{2, 3}, taken + "{2,3}" + plain, false},
                                                     {{6}, taken + "{6}" + plain, false}}) {
    GivenInput given = given_of({1, 1, 2, 3}, GivenAs::image);
    EXPECT_EQ(said(given, picture.wanted), picture.note);
    EXPECT_EQ(bytes_of(given.value.tensor),
              picture.is_turned ? std::vector({0, 3, 1, 4, 2, 5}) : std::vector({0, 1, 2, 3, 4, 5}));
  }
  GivenInput values = given_of({1, 1, 2, 3});
  EXPECT_EQ(said(values, {1, 3, 1, 2}),
            "cat: shape {1,1,2,3} does not fit input 'x', which is {1,3,1,2} in the model; "
            "give values of that shape")
      << "no picture";
}

TEST(FitShape, keeps_the_bytes_of_a_sample_together) {
  GivenInput given = given_of({1, 1, 2, 3}, GivenAs::image, 2);
  said(given, {1, 3, 1, 2});
  EXPECT_THAT(bytes_of(given.value.tensor), ElementsAre(0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11));
}

std::string repeated(HostTensor& tensor, std::int64_t batch) {
  try {
    repeat_rows(tensor, batch, "cat");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "";
}

TEST(RepeatRows, go_round_until_the_batch_is_full) {
  HostTensor rows = given_of({2, 1}).value.tensor;
  EXPECT_EQ(repeated(rows, 6), "");
  EXPECT_THAT(rows.shape, ElementsAre(6, 1));
  EXPECT_THAT(bytes_of(rows), ElementsAre(0, 1, 0, 1, 0, 1));
  EXPECT_EQ(repeated(rows, 6), "");
  EXPECT_EQ(rows.bytes.size(), 6u);
  HostTensor scalar = given_of({}).value.tensor;
  EXPECT_EQ(repeated(scalar, 6), "");
  EXPECT_THAT(scalar.shape, IsEmpty());
  HostTensor words{"", ElementType::string, {2}, {}, {"a", "b"}};
  EXPECT_EQ(repeated(words, 4), "");
  EXPECT_THAT(words.strings, ElementsAre("a", "b", "a", "b"));
}

TEST(RepeatRows, that_fill_no_batch_are_refused) {
  const std::string why = " rows cannot be repeated to --batch-size 6; give a batch size that is a multiple of them";
  for (const std::int64_t rows : {0, 4, 5, 7, 12}) {
    HostTensor tensor = given_of({rows}).value.tensor;
    EXPECT_EQ(repeated(tensor, 6), "cat: " + std::to_string(rows) + why);
  }
}

TEST(RepeatRows, beyond_eight_gib_are_refused) {
  constexpr std::int64_t batch = (std::int64_t{8} << 30) + 1;
  HostTensor byte = given_of({1}).value.tensor;
  EXPECT_EQ(repeated(byte, batch),
            "cat: with --batch-size 8589934593 it would take more than 8 GiB; choose a smaller one");
  HostTensor words{"", ElementType::string, {1}, {}, {"a"}};
  const std::int64_t of_words = (std::int64_t{8} << 30) / static_cast<std::int64_t>(sizeof(std::string)) + 1;
  EXPECT_EQ(repeated(words, of_words), "cat: with --batch-size " + std::to_string(of_words) +
                                           " it would take more than 8 GiB; choose a smaller one");
}

std::string literal_error(const std::string& text) {
  try {
    parse_literal(text, "w");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "accepted";
}

TEST(LiteralErrors, say_what_is_wrong_and_what_to_write) {
  const std::string ragged = "w: the list is ragged; give all lists of one depth the same length";
  const std::string mixed = "w: numbers, booleans and strings are mixed; use one kind";
  const std::string signs = "w: negative numbers are mixed with numbers above 2^63; no integer type holds both";
  const std::string large =
      "w: an integer above 2^63 is mixed with numbers with a decimal point; write it with an exponent";
  const auto digits = [](const std::string& integer) {
    return "w: " + integer + " is mixed with numbers with a decimal point, and has too many digits to be one of them";
  };
  const auto no_word = [](const std::string& word) {
    return "w: '" + word + "' is not a number, true, false or a string in double quotes";
  };
  struct Wrong {
    std::string text, why;
  };
  for (const Wrong& wrong :
       std::vector<Wrong>{{"[[1],[2,3]]", ragged},
                          {"[[1,2],3]", ragged},
                          {"1,true", mixed},
                          {"true,1", mixed},
                          {"\"a\",0.5", mixed},
                          {"0.5,\"a\"", mixed},
                          {"true,\"a\"", mixed},
                          {"-1,9223372036854775808", signs},
                          {"9223372036854775808,-1", signs},
                          {"0.5,9223372036854775808", large},
                          {"9223372036854775808,0.5", large},
                          {"0.5,9223372036854775807", digits("9223372036854775807")},
                          {"-9007199254740993,0.5", digits("-9007199254740993")},
                          {"18446744073709551616", "w: '18446744073709551616' is larger than any integer type holds"},
                          {"1e999", "w: '1e999' is not a number that a type can hold"},
                          {"-", "w: '-' is not a number that a type can hold"},
                          {"++1", "w: '++1' is not a number that a type can hold"},
                          {"+", no_word("+")},
                          {"TRUE", no_word("TRUE")},
                          {"NaN", no_word("NaN")},
                          {"a\033", no_word(R"(a\x1b)")},
                          {"[1]abcdefghijklmnopqrstuvwxyz", "w: there is no comma before 'abcdefghijklmnopqrst'"},
                          {"[1", "w: a '[' has no ']'"},
                          {"1]", "w: there is a ']' without its '['"},
                          {"[1,]", "w: a value is missing"},
                          {"\"a", "w: a string has no closing quote"},
                          {R"("a\)", R"(w: after '\' in a string there must be one of " \ n t)"}})
    EXPECT_EQ(literal_error(wrong.text), wrong.why) << wrong.text;
}

TEST(LiteralErrors, are_none_on_the_near_side_of_each_border) {
  const std::string open(64, '['), close(64, ']');
  EXPECT_EQ(parse_literal(open + "1" + close, "w").tensor.shape, Shape(64, 1));
  EXPECT_EQ(literal_error("[" + open + "1" + close + "]"), "w: lists are nested more than 64 deep");
  for (const std::string text : {"9007199254740992,0.5", "0.5,-9007199254740992", "-9223372036854775808,0.5"})
    EXPECT_EQ(parse_literal(text, "w").tensor.type, ElementType::f64) << text;
  EXPECT_EQ(parse_literal("9223372036854775807", "w").tensor.type, ElementType::i64);
  EXPECT_EQ(parse_literal("9223372036854775808,0", "w").tensor.type, ElementType::u64);
  EXPECT_EQ(parse_literal("1,9223372036854775808", "w").tensor.type, ElementType::u64);
  EXPECT_EQ(parse_literal(R"("a,b\t\"")", "w").tensor.shape, Shape{}) << "a comma within quotes";
  EXPECT_THAT(parse_literal(R"("a,b\t\"")", "w").tensor.strings, ElementsAre("a,b\t\""));
}

TEST(NestedLists, are_one_list_or_value) {
  const std::string after = "w: there is more after the end of the list; write one list";
  const auto error = [](auto feed) -> std::string {
    NestedValues values("w");
    try {
      feed(values);
    } catch (const Error& refused) {
      return refused.what();
    }
    return "accepted";
  };
  EXPECT_EQ(error([](NestedValues& v) { v.add(true), v.add(true); }), after);
  EXPECT_EQ(error([](NestedValues& v) { v.add(true), v.open(); }), after);
  EXPECT_EQ(error([](NestedValues& v) { v.open(), v.close(), v.open(); }), after);
  EXPECT_EQ(error([](NestedValues& v) { v.open(), v.close(), v.add(true); }), after);
  EXPECT_EQ(error([](NestedValues& v) { v.close(); }), "w: there is a ']' without its '['");
  EXPECT_EQ(error([](NestedValues& v) { v.open(), v.close(); }), "accepted");
}

TEST(NestedLists, without_values_are_integers_of_no_number) {
  const GivenTensor given = parse_literal("[[],[]]", "w");
  EXPECT_EQ(given.as, GivenAs::written);
  EXPECT_EQ(given.tensor.type, ElementType::i64);
  EXPECT_THAT(given.tensor.bytes, IsEmpty());
}

}  // namespace
}  // namespace takt
