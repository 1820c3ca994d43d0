// What a user wrote behind --input: [NAME:]DATA, several separated by ';'.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/inputs/given_tensor.h"

namespace takt {

/// One item; an empty name means the model's only input.
struct InputSpec {
  std::string name;
  /// A shape to fill with generated values, a file to read, or values.
  std::variant<Shape, std::filesystem::path, GivenTensor> content;
  std::string text;  ///< as written, for messages
  /// Several files that take turns; the first is `content`, too.
  std::vector<std::filesystem::path> files{};
};

/// DATA is a shape in braces ({1,3,224,224}; {} is a scalar), a file by its ending (.npy, .json, .ppm, .pgm, .pnm) or
/// the name of a dump (is_dump_file), several of them separated by commas, a folder of such files (one that is there,
/// or any with a slash at its end), or a literal (src/model/inputs/literal.h). Shapes as other tools write them are
/// understood (shape_words.h). A name ends at the first colon. In names and paths `\:` `\;` `\"` `\\` stand for the
/// second character; inside double quotes nothing separates. No file is opened. Throws UsageError that quotes the item.
std::vector<InputSpec> parse_input_specs(std::string_view text);

/// Whether a file's ending is that of values: .npy, .json, .ppm, .pgm, .pnm; or its name that of a dump.
bool is_value_file(std::string_view name);

/// A name as parse_input_specs reads it.
std::string escape_input_name(std::string_view name);

}  // namespace takt
