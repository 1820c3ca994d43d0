// Which family a type of operator belongs to, as the name of its colour: convolution is k1 on every page.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace takt {

struct FamilyWords {
  std::string_view family;
  std::initializer_list<std::string_view> words;
};

/// Returns the family of the first line of which a word is in `name`, which is in lower case; "k0": there is none.
std::string family_by_words(std::span<const FamilyWords> lines, std::string_view name);

/// Returns "k1" convolution, "k2" matrix product, attention, recurrent, "k3" normalisation, softmax, "k4" element by
/// element, "k5" pooling, reductions, "k6" moves or converts data, "k0" other; "other" for rows in brackets
/// ([unattributed]).
std::string family_of_type(std::string_view type);

}  // namespace takt
