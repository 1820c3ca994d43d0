// How the peer spells element types in its profiles.
#pragma once

#include <string>

#include "model/graph/graph.h"

namespace takt {

/// "Float32", "BFloat16", "Bool"; of types that the peer does not have, type_name().
std::string peer_type(ElementType type);

}  // namespace takt
