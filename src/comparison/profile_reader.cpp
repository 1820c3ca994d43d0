#include "comparison/profile_reader.h"

#include <fmt/format.h>

#include <memory>
#include <unordered_map>

#include "analysis/peer_profile.h"
#include "analysis/run_record.h"
#include "core/error.h"
#include "core/text.h"

namespace takt {
namespace {

[[noreturn]] void refuse(const std::string& origin, const std::string& what) {
  throw Error(ErrorKind::bad_input, origin + ": " + what);
}

/// What a comparison cannot do without.
void check_complete(const PeerProfile& profile, const RunRecord& record, const std::vector<Nanoseconds>& samples,
                    const std::string& origin) {
  if (profile.takt_value().empty())
    refuse(origin, "has no key 'takt': only profiles written by 'takt run --profile' hold samples");
  if (!record.has_profile()) refuse(origin, "'takt.profile' is missing or no object");
  if (samples.empty()) refuse(origin, "holds no profiled run");
}

std::vector<RecordedOp> operators_of(const PeerProfile& profile, const RunRecord& record, const PaddedText& text,
                                     const std::string& origin) {
  std::unordered_map<std::string_view, const PeerOperator*> named;
  for (const PeerOperator& op : profile.operators()) named.emplace(op.id, &op);
  constexpr std::size_t bytes_given_back = 4 << 20;
  std::size_t kept_from = 0;
  std::vector<RecordedOp> ops;
  for (const RunRecord::Operator& recorded : record.operators()) {
    const auto name = named.find(recorded.id);
    if (name == named.end())
      refuse(origin,
             fmt::format("'takt.profile.operators.{}' is not among graph_exec.operator", printable(recorded.id)));
    RecordedSamples times = record.times_of(recorded);
    ops.push_back({std::string(name->second->name), std::string(name->second->type), std::move(times.kernel),
                   std::move(times.fused), std::move(times.samples)});
    const auto done = static_cast<std::size_t>(recorded.text.data() - text.text().data());
    if (done < kept_from + bytes_given_back) continue;
    text.give_back(kept_from, done);
    kept_from = done;
  }
  return ops;
}

}  // namespace

RecordedProfile parse_recorded_profile(const PaddedText& text, const std::string& origin) {
  const PeerProfile profile(text, origin, {.types = false, .times = false});
  const RunRecord record(profile.takt_value(), origin);
  RecordedProfile recorded;
  recorded.origin = origin;
  recorded.samples = record.samples();
  check_complete(profile, record, recorded.samples, origin);
  recorded.plain_samples = record.plain_samples();
  const RunOrigin& from = record.origin();
  recorded.model = from.model, recorded.date = from.date;
  recorded.runtime = from.runtime, recorded.runtime_version = from.runtime_version;
  recorded.device = from.device, recorded.host = from.host, recorded.cpu = from.cpu;
  recorded.waiting_share = record.waiting_share();
  recorded.ops = operators_of(profile, record, text, origin);
  return recorded;
}

RecordedProfile read_recorded_profile(const std::filesystem::path& path) {
  return parse_recorded_profile(PaddedText(std::make_shared<const MappedFile>(path)), printable(path.string()));
}

}  // namespace takt
