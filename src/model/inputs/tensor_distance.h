// How far a value is from what it should be: the one answer of takt, for plans, divided stages and kernels alike.
//
// Numbers are compared with the size of their tensor, since rounding in a sum leaves errors of the size of its largest
// terms. The size is the largest magnitude of what is expected. Values that stand out from it by far (a mask of -1e9
// among scores) would hide all others, so beyond 10,000 times the median of what is not 0 each stands for itself.
#pragma once

#include <string>

#include "model/runtime/runtime.h"

namespace takt {

struct TensorDistance {
  /// The largest difference of two elements as a share of that size; 0: all are the same, NaN and infinities at the
  /// same places included. Of what has to be the same exactly, the share of elements that are others. Infinite: type or
  /// shape is another, one of the two has NaN or infinity where the other has not, or all that is expected is 0 and
  /// something is not.
  double share = 0;
  std::string what;  ///< "output 'y' differs at {0,3}: nan instead of 1.5", the worst place; empty where `share` is 0
  bool is_exact = false;  ///< of what has to be the same exactly
};

/// Which integers are roundings of real numbers, as quantised models have them.
enum class Integers { exact, rounded };

/// Floats of 16 to 64 bits are numbers, whatever type each of the two has, and integers of 8 to 32 bits that are
/// `rounded`. All else (indices, counts, booleans, strings, packed types) has to be of one type and the same.
/// Differences below 1e-38, which runtimes may take for 0, count as next to nothing. Thread-safe.
TensorDistance distance_of(const HostTensor& expected, const HostTensor& actual, Integers integers = Integers::exact);

/// The size that distance_of() compares most differences with; 0 where all that is finite is 0. Of floats and integers.
double usual_size(const HostTensor& tensor);

}  // namespace takt
