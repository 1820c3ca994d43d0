// The whole sentence with which a call refuses what it was given.
#pragma once

#include <stdexcept>
#include <string>

namespace takt {

/// "accepted": it did not.
template <typename Call>
std::string refused_with(const Call& call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace takt
