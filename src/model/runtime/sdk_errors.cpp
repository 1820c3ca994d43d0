#include "model/runtime/sdk_errors.h"

#include <fmt/format.h>

#include "base/basics/regex.h"
#include "base/basics/text.h"

namespace takt {

std::string one_sentence(std::string_view foreign) {
  // Bounded before the expressions run: a message may quote a whole file. Printable text is valid UTF-8, as they need.
  std::string text(foreign.substr(0, 1000));
  for (char& c : text)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  text = printable(text);
  static const Regex positions(
      R"((Exception from )?[^\s]{0,300}\.(cpp|cc|hpp|h|cxx):\d+:?( *\(([^()]|\([^()]*\))*\))?:?)");
  static const Regex functions(R"((onnxruntime|ov|std)::[A-Za-z_0-9:~]+(\([^)]{0,200}\))?( const)?)");
  static const Regex checks(R"((Check|Assertion|Exception) '[^']{0,300}' failed( at)?:?)");
  static const Regex blanks(" {2,}"), colons("[ :]+: ");
  for (const Regex* noise : {&positions, &functions, &checks}) text = noise->replaced(text, "");
  text = colons.replaced(blanks.replaced(text, " "), ": ");
  std::string result(trim(text));
  while (!result.empty() && (result.back() == '.' || result.back() == ' ' || result.back() == ':')) result.pop_back();
  while (!result.empty() && (result.front() == ':' || result.front() == ' ')) result.erase(result.begin());
  if (result.size() > 300) result = result.substr(0, 297) + "...";
  return result.empty() ? "no reason given" : printable(result);  // a character may have been cut
}

std::string where(const std::filesystem::path& model, std::string_view runtime) {
  return fmt::format("{}: {}", printable(model.string()), runtime);
}

std::string reason_of_failure(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& e) {
    return one_sentence(e.what());
  } catch (...) {
    return "the runtime threw something that is not a C++ exception; try another one";
  }
}

ErrorKind failure_while_running(const std::exception&) { return ErrorKind::runtime; }

}  // namespace takt
