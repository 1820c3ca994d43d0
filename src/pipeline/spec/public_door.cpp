#include "pipeline/spec/public_door.h"

#include <cctype>
#include <exception>
#include <new>

#include "base/basics/error.h"

namespace takt {
namespace {

bool is_part_of_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }

/// "--batch-size" begins here: two dashes before a letter, which nothing but a blank, a quote or a bracket precedes.
bool begins_option(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) != "--" || at + 2 >= text.size()) return false;
  if (std::isalpha(static_cast<unsigned char>(text[at + 2])) == 0) return false;
  return at == 0 || text[at - 1] == ' ' || text[at - 1] == '\'' || text[at - 1] == '(' || text[at - 1] == '"';
}

}  // namespace

std::string in_words_of_settings(std::string_view message) {
  std::string text;
  for (std::size_t at = 0; at < message.size();) {
    if (!begins_option(message, at)) {
      text += message[at++];
      continue;
    }
    for (at += 2; at < message.size() && is_part_of_a_name(message[at]); ++at)
      text += message[at] == '-' ? '_' : message[at];
  }
  return text;
}

void rethrow_as_error() {
  try {
    throw;
  } catch (const Error& error) {
    throw Error(error.kind(), in_words_of_settings(error.what()));
  } catch (const UsageError& error) {
    throw Error(ErrorKind::bad_input, in_words_of_settings(error.what()));
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::runtime, "there is not enough memory; use smaller batches, or fewer requests");
  } catch (const std::exception& error) {
    throw Error(ErrorKind::runtime, in_words_of_settings(error.what()));
  } catch (...) {
    throw Error(ErrorKind::runtime, "an unknown error occurred; please report it");
  }
}

}  // namespace takt
