// Debug annotations as arguments: plain values as they are, dictionaries and lists as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/perfetto/sequence.h"
#include "trace/write/perfetto_wire.h"

namespace takt::perfetto {

enum class ArgState : std::uint8_t { good, broken, unknown_text, unread };  // unread: of a type that is not read

/// Not thread-safe: one per file.
class ArgReader {
 public:
  explicit ArgReader(Trace& trace) : trace_(trace) {}
  /// Appends a DebugAnnotation to `args`; nothing unless it is good. An annotation without a value is null.
  ArgState read(std::string_view message, const Sequence& sequence, std::vector<TraceArg>& args);

 private:
  ArgState take_value(const Field& field, const Sequence& sequence, TraceArg& arg);
  ArgState append_json(std::string_view message, const Sequence& sequence, int depth, std::string& json);
  TraceArg json_arg(std::string_view text);
  bool is_json(StringId text);

  Trace& trace_;
  std::optional<StringId> null_;
  std::string scratch_;
  std::vector<std::uint8_t> checked_;  // per text of the trace: 0 not yet, 1 is JSON, 2 is not
};

}  // namespace takt::perfetto
