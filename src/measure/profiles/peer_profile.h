// A profile in the schema of MegEngine's `load_and_run --profile`, which takt writes too.
//
// The file is mapped; names and shapes stay views into the map. Keys may come in any order, unknown ones are skipped;
// takt's own key `takt` is found and left to run_record.h. Large files are read by several threads, and only the
// sections that are needed; files that are in any way unusual are then read again by simdjson, which decides. Nothing
// here computes: src/measure/profiles/analyze does.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/padded_text.h"
#include "measure/profiles/id_index.h"

namespace takt {

/// A number of the file, and whether it was written without point and exponent (Python reads an integer then).
struct PeerNumber {
  double value = 0;
  bool integral = false;
};

/// What one section, device or host, says about an operator; maxima over its computing nodes or threads. Seconds.
struct PeerTimes {
  std::uint32_t entries = 0;  ///< 0: the operator was not seen in the section
  double end = 0, kern = 0;   ///< max of end - start and of kern - start
  bool integral_end = true, integral_kern = true;
  std::string_view bad_end, bad_kern;  ///< the key that is missing or no number; empty: all well
};

struct PeerOperator {
  std::string_view name, type, id;
  std::string_view inputs;  ///< JSON array of var ids
  PeerTimes device, host;
  std::optional<PeerNumber> computation, memory;       ///< nullopt: missing or null
  std::string_view in_shapes, in_layouts, out_shapes;  ///< JSON text; empty: missing
};

struct PeerContents;

/// What is read of a profile; the rest is only checked for where it ends.
struct PeerWanted {
  bool types = false;  ///< data types of the variables, which one filter needs
  bool times = true;   ///< times and footprints of the operators
};

class PeerProfile {
 public:
  /// Reads the whole file. With `with_types`, data types of the variables are kept (needed by one filter only).
  /// Throws Error(io) when it cannot be read and Error(bad_input), naming file and cause, when it is no profile.
  PeerProfile(const std::filesystem::path& path, bool with_types);

  /// The same of text in memory; `where` begins every message.
  PeerProfile(PaddedText text, const std::string& where, const PeerWanted& wanted);

  /// Records from elsewhere; `texts` holds what their views point to. Their `inputs` list data types, not variables.
  using Texts = std::deque<std::string>;
  PeerProfile(std::vector<PeerOperator> operators, Texts texts);

  /// In the order of graph_exec.operator in the file; views are valid as long as this object.
  const std::vector<PeerOperator>& operators() const { return operators_; }

  /// Whether any input variable of the operator has the data type. Variables without a memory plan have none.
  bool has_input_type(const PeerOperator& op, std::string_view type) const;

  /// The JSON value under takt's own key, with PaddedText's padding behind it; empty: there is no such key.
  std::string_view takt_value() const { return takt_value_; }

  /// Whether the word occurs anywhere: profiles of OpenCL devices have no times unless that was switched on.
  /// Returns the text of the file, from which the numbers are read on request; empty: records from elsewhere.
  std::string_view text() const { return text_ ? text_->text() : std::string_view(); }
  bool mentions_opencl() const { return text_ && text_->text().find("opencl") != std::string_view::npos; }

 private:
  void join(PeerContents contents, const std::string& where);

  std::optional<PaddedText> text_;                  ///< nullopt: records from elsewhere
  Texts texts_;                                     ///< of records from elsewhere
  std::vector<std::deque<std::string>> unescaped_;  ///< strings of the file that had escapes
  std::string_view takt_value_;
  std::vector<PeerOperator> operators_;
  IdIndex variables_;
  std::vector<std::string_view> types_;  ///< of each variable
};

/// Arrays of integers in the JSON text of shapes or layouts ("[[1,3],null]"); nullopt inside: null. The text must come
/// from a PeerProfile; elements are kept as written. nullopt: no such array.
using ShapeList = std::vector<std::optional<std::vector<std::string>>>;
std::optional<ShapeList> parse_shapes(std::string_view json);

}  // namespace takt
