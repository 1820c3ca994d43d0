// A profile in the schema of MegEngine's `load_and_run --profile`, which takt writes too.
//
// The file is mapped and read once, front to back; names and shapes stay views into the map. Keys may come in any
// order, unknown ones are skipped (so is takt's own key `takt`). Nothing here computes: src/profile/analyze does.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/file.h"

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
  bool listed = false;                                 ///< stands in graph_exec.operator
};

class PeerProfile {
 public:
  /// Reads the whole file. With `with_types`, data types of the variables are kept (needed by one filter only).
  /// Throws Error(io) when it cannot be read and Error(bad_input), naming file and cause, when it is no profile.
  PeerProfile(const std::filesystem::path& path, bool with_types);

  /// In the order of graph_exec.operator in the file; views are valid as long as this object.
  const std::vector<PeerOperator>& operators() const { return operators_; }

  /// Whether any input variable of the operator has the data type. Variables without a memory plan have none.
  bool has_input_type(const PeerOperator& op, std::string_view type) const;

  /// Whether the word occurs anywhere: profiles of OpenCL devices have no times unless that was switched on.
  bool mentions_opencl() const { return file_.text().find("opencl") != std::string_view::npos; }

 private:
  friend class PeerReader;
  MappedFile file_;
  std::deque<std::string> unescaped_;  ///< strings of the file that had escapes
  std::vector<PeerOperator> operators_;
  std::unordered_map<std::string_view, std::string_view> types_;
};

/// Arrays of integers in the JSON text of shapes or layouts ("[[1,3],null]"); nullopt inside: null. The text must come
/// from a PeerProfile; elements are kept as written. nullopt: no such array.
using ShapeList = std::vector<std::optional<std::vector<std::string>>>;
std::optional<ShapeList> parse_shapes(std::string_view json);

}  // namespace takt
