#include "measure/compare/profile_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/memory/mapped_ranges.h"
#include "measure/profiles/foreign_profile.h"
#include "measure/profiles/peer_profile.h"
#include "measure/profiles/profile_file.h"
#include "measure/profiles/run_record.h"

namespace takt {
namespace {

[[noreturn]] void refuse(const std::string& origin, const std::string& what) {
  throw Error(ErrorKind::bad_input, origin + ": " + what);
}

/// What a comparison cannot do without.
void check_complete(const PeerProfile& profile, const RunRecord& record, const std::vector<Nanoseconds>& samples,
                    const std::string& origin) {
  if (profile.takt_value().empty())
    refuse(origin,
           "has no key 'takt': of profiles in this schema, only those written by 'takt run --profile' hold samples");
  if (!record.has_profile()) refuse(origin, "'takt.profile' is missing or not an object");
  if (samples.empty()) refuse(origin, "has no profiled run");
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
                   std::move(times.fused), std::move(times.samples), std::move(times.tensors)});
    const auto done = static_cast<std::size_t>(recorded.text.data() - text.text().data());
    if (done < kept_from + bytes_given_back) continue;
    text.give_back(kept_from, done);
    kept_from = done;
  }
  return ops;
}

RecordedProfile own_profile(const PaddedText& text, const std::string& origin) {
  const PeerProfile profile(text, origin, {.types = false, .times = false});
  const RunRecord record(profile.takt_value(), origin);
  RecordedProfile recorded;
  recorded.origin = origin;
  recorded.samples = record.samples();
  check_complete(profile, record, recorded.samples, origin);
  recorded.plain_samples = record.plain_samples();
  recorded.from = record.origin();
  recorded.virtual_clock = recorded.from.device.starts_with("sim:") && !record.has_usage();
  recorded.waiting_share = record.waiting_share();
  recorded.cache_walk_ns = record.cache_walk_ns();
  recorded.memory = record.memory();
  recorded.ops = operators_of(profile, record, text, origin);
  return recorded;
}

std::vector<Nanoseconds> whole_nanoseconds(const std::vector<Duration>& times) {
  std::vector<Nanoseconds> found;
  for (const Duration time : times) found.emplace_back(std::llround(time.count() * 1000));
  return found;
}

/// Where a program does not tell how long a run took, it took what its operators took.
std::vector<Nanoseconds> run_times(const ForeignProfile& profile, const std::vector<RecordedOp>& ops) {
  if (!profile.run_times.empty()) return whole_nanoseconds(profile.run_times);
  std::vector<Nanoseconds> sums(profile.runs);
  for (const RecordedOp& op : ops)
    for (std::size_t run = 0; run < std::min(op.samples.size(), sums.size()); ++run) sums[run] += op.samples[run];
  return sums;
}

RecordedProfile of_other_program(ForeignProfile profile, std::string_view runtime, const std::string& origin) {
  if (profile.averaged || profile.runs < 2)
    refuse(origin, fmt::format("is an {} without samples, and a mean alone does not show how large the noise is; {}",
                               profile.kind,
                               runtime == "openvino" ? "run benchmark_app with -report_type detailed_counters and "
                                                       "-nireq 8 or more, which keeps one sample per infer request"
                                                     : "profile more runs of the session"));
  RecordedProfile recorded;
  recorded.origin = origin, recorded.kind = profile.kind;
  recorded.from.runtime = runtime;
  for (ForeignOperator& op : profile.operators) {
    const auto& times = op.device.empty() ? op.host : op.device;
    if (times.empty()) continue;  // fused into another
    recorded.ops.push_back(
        {std::move(op.name), std::move(op.type), std::move(op.kernel), {}, whole_nanoseconds(times), {}});
  }
  recorded.samples = run_times(profile, recorded.ops);
  return recorded;
}

}  // namespace

RecordedProfile parse_recorded_profile(const PaddedText& text, const std::string& origin) {
  switch (detect_profile_kind(text.text())) {
    case ProfileKind::ort:
      return of_other_program(parse_ort_profile(text, origin), "onnxruntime", origin);
    case ProfileKind::benchmark_app_csv:
      return of_other_program(parse_benchmark_app_csv(text.text(), origin), "openvino", origin);
    case ProfileKind::benchmark_app_json:
      return of_other_program(parse_benchmark_app_json(text, origin), "openvino", origin);
    case ProfileKind::peer:
      break;
  }
  return own_profile(text, origin);
}

RecordedProfile read_recorded_profile(const std::filesystem::path& path) {
  const PaddedText file(std::make_shared<const MappedFile>(path));
  return read_whole(file.text(), [&] { return parse_recorded_profile(file, printable(path.string())); });
}

}  // namespace takt
