// The header of a .npy file: a Python dictionary in text.
#pragma once

#include <cstddef>
#include <string_view>

#include "model/graph/graph.h"

namespace takt {

struct NpyHeader {
  char byte_order = '|';    ///< '<' little, '>' big, '|' none
  char kind = 'f';          ///< f i u b S U
  std::size_t size = 0;     ///< bytes of an element; of U: characters of four bytes
  bool is_fortran = false;  ///< the first dimension varies fastest
  Shape shape;
};

/// `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`, blanks at will. Throws Error(bad_input) that begins
/// with `where`.
NpyHeader parse_npy_header(std::string_view header, std::string_view where);

}  // namespace takt
