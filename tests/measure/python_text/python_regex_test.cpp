// Patterns as PCRE2 gets them, and what is refused: which ones, CPython 3.11's `re` told.
#include "measure/python_text/regex.h"

#include <gmock/gmock.h>

#include "base/basics/error.h"

namespace takt {
namespace {

TEST(PythonRegex, what_pcre2_spells_otherwise_is_written_anew_and_the_rest_kept) {
  struct Case {
    const char *python, *pcre2;
  };
  for (const auto& [python, pcre2] : {
           Case{R"(\x41\xfFg)", R"(\x{41}\x{fF}g)"},
           Case{R"(\u00e99)", R"(\x{00e9}9)"},
           Case{R"(\U0001F6009)", R"(\x{0001F600}9)"},
           Case{R"(\0)", R"(\o{0})"},
           Case{R"(\08)", R"(\o{0}8)"},
           Case{R"(\0123)", R"(\o{012}3)"},
           Case{R"(\1018)", R"(\o{101}8)"},
           Case{R"((a)\1)", R"((a)\g{1})"},
           Case{R"((a)\1x)", R"((a)\g{1}x)"},
           Case{R"((a)\778)", R"((a)\g{77}8)"},
           Case{R"((a)\789)", R"((a)\g{78}9)"},
           Case{R"((a)\9)", R"((a)\g{9})"},
           Case{R"([\7])", R"([\o{7}])"},
           Case{R"([\08])", R"([\o{0}8])"},
           Case{R"([\778])", R"([\o{77}8])"},
           Case{R"(\A\b\B\d\D\s\S\w\W\a\f\n\r\t)", R"(\A\b\B\d\D\s\S\w\W\a\f\n\r\t)"},
           Case{R"(\v\Z\.\_)", R"(\x0b\z\.\_)"},
           Case{R"([\b\d\D\s\S\w\W\a\f\n\r\t\v])", R"([\b\d\D\s\S\w\W\a\f\n\r\t\x0b])"},
           Case{"[]a]b]", R"([\]a]b])"},
           Case{"[^]a]", R"([^\]a])"},
           Case{"[a^]", "[a^]"},
           Case{"[[:alpha:]]", R"([\[:alpha:]])"},
           Case{"(?:a)(?P<n>b)(?P=n)(?#c)(?=d)(?!e)(?<=f)(?<!g)(?>h)",
                "(?:a)(?P<n>b)(?P=n)(?#c)(?=d)(?!e)(?<=f)(?<!g)(?>h)"},
           Case{"(a)?(?(1)b|c)", "(a)?(?(1)b|c)"},
           Case{"(?ims)a", "(?ims)a"},
           Case{"(?x)a", "(?x)a"},
           Case{"(?aiu)a", "(?i)a"},
           Case{"b(?a:c)", "b(?:c)"},
           Case{"b(?i-m:c)", "b(?i-m:c)"},
           Case{"a{,2}", "a{0,2}"},
           Case{"a{,20}b", "a{0,20}b"},
           Case{"a{,}b", "a{0,}b"},
           Case{"a{,b}", "a{,b}"},
           Case{"a{,2", "a{,2"},
           Case{"a{1,2}{", "a{1,2}{"},
           Case{"a{}", "a{}"},
           Case{"", ""},
       })
    EXPECT_EQ(translate_python_pattern(python), pcre2) << python;
}

TEST(PythonRegex, what_python_refuses_is_refused_with_its_place) {
  struct Case {
    const char *pattern, *reason;
  };
  for (const auto& [pattern, reason] : {
           Case{R"(a\x4)", R"(incomplete escape \x (at character 1))"},
           Case{R"(\x4g)", R"(incomplete escape \x (at character 0))"},
           Case{R"(\x)", R"(incomplete escape \x (at character 0))"},
           Case{R"(\u00e)", R"(incomplete escape \u (at character 0))"},
           Case{R"(\U0001F60)", R"(incomplete escape \U (at character 0))"},
           Case{R"(ab\)", "bad escape (end of pattern) (at character 2)"},
           Case{R"([\)", "bad escape (end of pattern) (at character 1)"},
           Case{R"([\8])", R"(bad escape \8 (at character 1))"},
           Case{R"([\9])", R"(bad escape \9 (at character 1))"},
           Case{R"(\Q)", R"(bad escape \Q (at character 0))"},
           Case{R"(\G)", R"(bad escape \G (at character 0))"},
           Case{R"(\z)", R"(bad escape \z (at character 0))"},
           Case{R"([a\A])", R"(bad escape \A (at character 2))"},
           Case{R"([\B])", R"(bad escape \B (at character 1))"},
           Case{R"([\Z])", R"(bad escape \Z (at character 1))"},
           Case{"[]", "unterminated character set (at character 2)"},
           Case{"[^]", "unterminated character set (at character 3)"},
           Case{"a(*)", "nothing to repeat (at character 1)"},
           Case{"(?<n>a)", "unknown extension (?< (at character 0)"},
           Case{"(?P>n)", "unknown extension (?P (at character 0)"},
           Case{"(?(?=a)b|c)", "unknown extension (?( (at character 0)"},
           Case{"(?(*a)b|c)", "unknown extension (?( (at character 0)"},
           Case{"(?(", "unknown extension (?( (at character 0)"},
           Case{"(?", "unknown extension (? (at character 0)"},
           Case{"(?i", "unknown extension (?i (at character 0)"},
           Case{"(?L)a", "unknown extension (?L (at character 0)"},
           Case{"b(?i)", "global flags not at the start of the expression (at character 1)"},
       }) {
    try {
      translate_python_pattern(pattern);
      ADD_FAILURE() << pattern << " is accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), "pattern '" + std::string(pattern) + "': " + reason);
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    }
  }
}

}  // namespace
}  // namespace takt
