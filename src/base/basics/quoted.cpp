#include "base/basics/quoted.h"

#include "base/basics/text.h"

namespace takt {

std::string without_middle(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };  // of a character
  std::size_t head = most * 2 / 3, tail = text.size() - most / 4;
  while (head > 0 && is_inside(text[head])) --head;
  while (tail < text.size() && is_inside(text[tail])) ++tail;
  return std::string(text.substr(0, head)) + "..." + std::string(text.substr(tail));
}

std::string quoted_part(std::string_view text, std::size_t most) { return printable(without_middle(text, most)); }

}  // namespace takt
