// A model without its weights: what most readers want to know of a file is in a thousandth of its bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace takt {

/// The ONNX file `bytes`, called `file_name`, with every large raw tensor turned into external data that lies in that
/// file itself: whoever reads the result in the file's folder finds all values, and whoever needs only shapes never
/// touches them. Looks at nothing but the structure, so the bytes of the weights are not read. nullopt where a part
/// is not as writers write it; protobuf then has the last word.
std::optional<std::string> without_weights(std::string_view bytes, const std::string& file_name);

}  // namespace takt
