// session.set_denormal_as_zero on the threads that call ONNX Runtime.
#pragma once

#include <onnxruntime_session_options_config_keys.h>

#include <string_view>

#include "model/runtime/runtime.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace takt::ort {

/// With which a session computes with zeros; empty: this processor takes no longer, or ONNX Runtime ignores it.
inline Properties zeros_for_subnormals() {
#if defined(__x86_64__)
  return {{kOrtSessionOptionsConfigSetDenormalAsZero, "1"}};
#else
  return {};
#endif
}

/// Whether a session with these properties computes with zeros instead of subnormal numbers.
inline bool takes_subnormals_as_zero(const Properties& properties) {
  const auto found = properties.find(kOrtSessionOptionsConfigSetDenormalAsZero);
  return found != properties.end() && found->second == "1";
}

/// While it lives, the calling thread computes with zeros instead of subnormal numbers, or with subnormal numbers.
///
/// ONNX Runtime sets the threads of each session's pool. A thread that calls it computes, too, but is set only once in
/// a process, as the first session of all wants it, and stays so. This sets it for each call, and leaves it as it was.
/// Nothing on processors other than x86, where ONNX Runtime itself ignores the property.
class SubnormalsAsZero {
 public:
#if defined(__x86_64__)
  explicit SubnormalsAsZero(bool wanted) : before_(_mm_getcsr()) {
    _mm_setcsr(wanted ? before_ | zeros : before_ & ~zeros);
  }
  // Flags that the call raised stay raised, as they do without this.
  ~SubnormalsAsZero() { _mm_setcsr((_mm_getcsr() & ~zeros) | (before_ & zeros)); }
#else
  explicit SubnormalsAsZero(bool) {}
#endif
  SubnormalsAsZero(const SubnormalsAsZero&) = delete;
  SubnormalsAsZero& operator=(const SubnormalsAsZero&) = delete;

#if defined(__x86_64__)
 private:
  static constexpr unsigned zeros = 0x8040;  ///< flush-to-zero of results, denormals-are-zero of operands
  unsigned before_;
#endif
};

}  // namespace takt::ort
