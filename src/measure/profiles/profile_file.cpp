#include "measure/profiles/profile_file.h"

#include <fmt/format.h>

#include <memory>
#include <unordered_map>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/padded_text.h"
#include "base/memory/mapped_ranges.h"

namespace takt {
namespace {

double mean_seconds(const std::vector<Duration>& samples) {
  double sum = 0;
  for (const Duration sample : samples) sum += sample.count();
  return sum / static_cast<double>(samples.size()) / 1e6;
}

PeerTimes times_of(const std::vector<Duration>& samples, const std::vector<Duration>& waits) {
  PeerTimes times;
  if (samples.empty()) return times;
  times.entries = 1;
  times.end = mean_seconds(samples);
  times.kern = waits.empty() ? 0 : mean_seconds(waits);
  times.integral_end = times.integral_kern = false;
  return times;
}

std::string json_of(const std::vector<Shape>& shapes) {
  std::string text = "[";
  for (const Shape& shape : shapes) text += fmt::format("{}[{}]", text.size() > 1 ? "," : "", fmt::join(shape, ","));
  return text + "]";
}

std::string describe(const ForeignProfile& profile) {
  if (profile.averaged) return profile.kind + ", a mean over its runs";
  return fmt::format("{}, {} {}{}{}", profile.kind, profile.runs, profile.run_word, profile.runs == 1 ? "" : "s",
                     profile.runs == 1 ? "" : "; times are means over them");
}

ProfileSamples samples_of(ForeignProfile profile) {
  std::unordered_map<std::string, OperatorSamples> samples;
  for (std::size_t i = 0; i < profile.operators.size(); ++i) {
    ForeignOperator& op = profile.operators[i];
    if (profile.averaged) op.device.clear(), op.host.clear();
    samples[std::to_string(i)] = {std::move(op.device), std::move(op.host), std::move(op.kernel)};
  }
  return ProfileSamples(std::move(samples));
}

ProfileFile open_own(const PaddedText& text, const std::filesystem::path& path, const ProfileParts& parts) {
  const std::string origin = printable(path.string());
  ProfileFile result{PeerProfile(text, origin, {.types = parts.types}), "", {}, {}};
  if (parts.samples) result.samples = ProfileSamples(RunRecord(result.profile.takt_value(), origin));
  return result;
}

ProfileFile profile_in(const PaddedText& file, const std::filesystem::path& path, const ProfileParts& parts) {
  const std::string origin = printable(path.string());
  ForeignProfile foreign;
  switch (detect_profile_kind(file.text())) {
    case ProfileKind::peer:
      return open_own(file, path, parts);
    case ProfileKind::ort:
      foreign = parse_ort_profile(file, origin);
      break;
    case ProfileKind::benchmark_app_csv:
      foreign = parse_benchmark_app_csv(file.text(), origin);
      break;
    case ProfileKind::benchmark_app_json:
      foreign = parse_benchmark_app_json(file, origin);
      break;
  }
  return {to_peer_profile(foreign), describe(foreign), std::move(foreign.notes), samples_of(std::move(foreign))};
}

}  // namespace

PeerProfile to_peer_profile(const ForeignProfile& profile) {
  PeerProfile::Texts texts;
  const auto keep = [&](std::string text) -> std::string_view { return texts.emplace_back(std::move(text)); };
  std::vector<PeerOperator> operators;
  for (std::size_t i = 0; i < profile.operators.size(); ++i) {
    const ForeignOperator& from = profile.operators[i];
    PeerOperator& op = operators.emplace_back();
    op.name = keep(from.name), op.type = keep(from.type), op.id = keep(std::to_string(i));
    op.device = times_of(from.device, from.waits);
    op.host = times_of(from.host, from.waits);
    if (from.flops) op.computation = PeerNumber{*from.flops, true};
    if (from.bytes) op.memory = PeerNumber{static_cast<double>(*from.bytes), true};
    if (from.input_shapes) op.in_shapes = keep(json_of(*from.input_shapes));
    if (from.output_shapes) op.out_shapes = keep(json_of(*from.output_shapes));
    std::vector<std::string> types;
    for (const auto& type : from.input_types) types.push_back(json_quote(type));
    op.inputs = keep(fmt::format("[{}]", fmt::join(types, ",")));
  }
  return PeerProfile(std::move(operators), std::move(texts));
}

ProfileFile open_profile(const std::filesystem::path& path, const ProfileParts& parts) {
  const PaddedText file(std::make_shared<const MappedFile>(path));
  return read_whole(file.text(), [&] { return profile_in(file, path, parts); });
}

}  // namespace takt
