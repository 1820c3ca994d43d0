#include "measure/profiles/peer_profile.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <thread>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/system/affinity.h"
#include "measure/profiles/json_cursor.h"
#include "measure/profiles/json_text.h"
#include "measure/profiles/peer_parts.h"

namespace takt {

namespace {

/// Tables of ids may take an eighth of the file's size at most.
std::size_t table_limit(std::string_view text) { return text.size() / 32 + 1024; }

PeerContents read_contents(const PaddedText& padded, const std::string& where, const PeerWanted& wanted) {
  const std::string_view text = padded.text();
  // Below this a second thread costs more than it brings.
  constexpr std::size_t worth_a_thread = 4 << 20;
  QuickReading how;
  if (text.size() >= worth_a_thread) how.threads = std::min(static_cast<unsigned>(usable_core_count()), 4U);
  try {
    return read_peer_quickly(padded, wanted, how);
  } catch (const OddJson& odd) {
    // simdjson counts bytes with 32 bits.
    if (text.size() > std::numeric_limits<std::uint32_t>::max() - 64)
      throw Error(ErrorKind::bad_input, where + ": " + odd.what);
    return read_peer_thoroughly(padded, where, wanted);
  }
}

void join_times(const std::vector<TimesEntry>& entries, const IdIndex& index, std::vector<PeerOperator>& operators,
                PeerTimes PeerOperator::*member) {
  for (const TimesEntry& entry : entries)
    if (const auto place = index.find(entry.key)) operators[*place].*member = entry.times;
}

}  // namespace

PeerProfile::PeerProfile(const std::filesystem::path& path, bool with_types)
    : PeerProfile(PaddedText(std::make_shared<const MappedFile>(path)), printable(path.string()),
                  {.types = with_types}) {}

PeerProfile::PeerProfile(PaddedText text, const std::string& where, const PeerWanted& wanted) : text_(std::move(text)) {
  if (text_->text().find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw Error(ErrorKind::bad_input, where + ": is empty");
  join(read_contents(*text_, where, wanted), where);
}

void PeerProfile::join(PeerContents contents, const std::string& where) {
  if (!contents.has_operators)
    throw Error(ErrorKind::bad_input, where + ": has no 'graph_exec.operator': this is not an operator profile");
  if (!contents.has_profiler)
    throw Error(ErrorKind::bad_input, where + ": has no 'profiler': this is not an operator profile");
  takt_value_ = contents.takt_value;
  IdIndex index(table_limit(text_->text()));
  std::size_t count = 0;
  for (const PeerParts& parts : contents.parts) count += parts.operators.size();
  operators_.reserve(count);
  for (const PeerParts& parts : contents.parts)
    for (const OperatorEntry& entry : parts.operators) {
      const auto [place, added] = index.insert(entry.key);
      PeerOperator& op = added ? operators_.emplace_back() : operators_[place];
      op.name = entry.name, op.type = entry.type, op.id = entry.id, op.inputs = entry.inputs;
    }
  variables_ = IdIndex(table_limit(text_->text()));
  for (PeerParts& parts : contents.parts) {
    join_times(parts.device, index, operators_, &PeerOperator::device);
    join_times(parts.host, index, operators_, &PeerOperator::host);
    for (const FootprintEntry& entry : parts.footprints) {
      const auto place = index.find(entry.key);
      if (!place) continue;
      PeerOperator& op = operators_[*place];
      op.computation = entry.computation, op.memory = entry.memory;
      op.in_shapes = entry.in_shapes, op.in_layouts = entry.in_layouts, op.out_shapes = entry.out_shapes;
    }
    for (const TypeEntry& entry : parts.types) {
      const auto [place, added] = variables_.insert(entry.variable);
      if (added) types_.emplace_back();
      types_[place] = entry.type;
    }
    if (!parts.unescaped.empty()) unescaped_.push_back(std::move(parts.unescaped));
  }
}

PeerProfile::PeerProfile(std::vector<PeerOperator> operators, Texts texts)
    : texts_(std::move(texts)), operators_(std::move(operators)) {}

bool PeerProfile::has_input_type(const PeerOperator& op, std::string_view type) const {
  const auto inputs = json_strings(op.inputs);
  if (!text_) return std::find(inputs.begin(), inputs.end(), type) != inputs.end();
  return std::any_of(inputs.begin(), inputs.end(), [&](std::string_view id) {
    const auto place = variables_.find(id);
    return place && types_[*place] == type;
  });
}

}  // namespace takt
