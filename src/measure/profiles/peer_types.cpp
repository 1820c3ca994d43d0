#include "measure/profiles/peer_types.h"

namespace takt {

std::string peer_type(ElementType type) {
  switch (type) {
    case ElementType::bf16:
      return "BFloat16";
    case ElementType::boolean:
    case ElementType::f16:
    case ElementType::f32:
    case ElementType::f64:
    case ElementType::i8:
    case ElementType::i16:
    case ElementType::i32:
    case ElementType::i64:
    case ElementType::u8:
    case ElementType::u16:
    case ElementType::u32:
    case ElementType::u64: {
      std::string name(type_name(type));
      name[0] = static_cast<char>(name[0] - 'a' + 'A');
      return name;
    }
    default:
      return std::string(type_name(type));
  }
}

}  // namespace takt
