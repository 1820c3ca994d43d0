#include "measure/profiles/peer_sections.h"

#include <cmath>

#include "measure/profiles/json_cursor.h"

namespace takt {

namespace {

class PieceReader {
 public:
  PieceReader(std::string_view text, const PeerPiece& piece)
      : cursor_(text, piece.begin, piece.end), piece_(piece), parts_(*piece.parts) {}

  void read() {
    const std::size_t bytes = piece_.end - piece_.begin;
    switch (piece_.section) {
      case PeerSection::operators:
        parts_.operators.reserve(bytes / 200);
        return entries([&](std::string_view key) { read_operator(key); });
      case PeerSection::device:
        parts_.device.reserve(bytes / 100);
        return entries([&](std::string_view key) { read_times(key, parts_.device); });
      case PeerSection::host:
        parts_.host.reserve(bytes / 100);
        return entries([&](std::string_view key) { read_times(key, parts_.host); });
      case PeerSection::footprints:
        parts_.footprints.reserve(bytes / 200);
        return entries([&](std::string_view key) { read_footprint(key); });
      case PeerSection::types:
        return entries([&](std::string_view key) { read_variable(key); });
    }
  }

 private:
  template <typename Entry>
  void entries(Entry entry) {
    if (cursor_.peek() == '\0' && cursor_.offset() == piece_.end) return;
    if (!piece_.first) cursor_.expect(',');
    do {
      const std::string_view key = cursor_.string(parts_.unescaped);
      cursor_.expect(':');
      entry(key);
    } while (cursor_.take(','));
    if (cursor_.peek() != '\0' || cursor_.offset() != piece_.end) throw OddJson{};
  }

  void read_operator(std::string_view key) {
    OperatorEntry& op = parts_.operators.emplace_back();
    op.key = key;
    cursor_.object([&](std::string_view member) {
      if (member == "name")
        op.name = cursor_.string(parts_.unescaped);
      else if (member == "type")
        op.type = cursor_.string(parts_.unescaped);
      else if (member == "id")
        op.id = cursor_.peek() == '"' ? cursor_.string(parts_.unescaped) : cursor_.value();
      else if (member == "input")
        op.inputs = cursor_.value();
      else
        cursor_.value();
    });
    if (!op.name.data() || !op.type.data() || !op.id.data()) throw OddJson{"has an operator without name, type or id"};
  }

  void read_times(std::string_view key, std::vector<TimesEntry>& section) {
    TimesEntry& entry = section.emplace_back();
    entry.key = key;
    cursor_.object([&](std::string_view) {
      std::optional<PeerNumber> start, kern, end;
      cursor_.object([&](std::string_view member) {
        if (member == "start")
          start = cursor_.number();
        else if (member == "kern")
          kern = cursor_.number();
        else if (member == "end")
          end = cursor_.number();
        else
          cursor_.value();
      });
      add_times(entry.times, start, kern, end);
    });
  }

  void read_footprint(std::string_view key) {
    FootprintEntry& footprint = parts_.footprints.emplace_back();
    footprint.key = key;
    cursor_.object([&](std::string_view member) {
      if (member == "computation")
        footprint.computation = cursor_.number();
      else if (member == "memory")
        footprint.memory = cursor_.number();
      else if (member == "in_shapes")
        footprint.in_shapes = cursor_.value();
      else if (member == "in_layouts")
        footprint.in_layouts = cursor_.value();
      else if (member == "out_shapes")
        footprint.out_shapes = cursor_.value();
      else
        cursor_.value();
    });
  }

  /// Walks the value if it is an object; any other is passed.
  template <typename Member>
  void object_or_other(Member member) {
    if (cursor_.peek() == '{')
      cursor_.object(member);
    else
      cursor_.value();
  }

  void read_variable(std::string_view key) {
    std::string_view type;
    bool seen_plan = false;
    object_or_other([&](std::string_view member) {
      if (member != "mem_plan" || seen_plan || cursor_.peek() != '{') {
        cursor_.value();
        return;
      }
      seen_plan = true;
      type = type_in_plan();
    });
    if (type.data()) parts_.types.push_back({key, type});
  }

  std::string_view type_in_plan() {
    std::string_view type;
    cursor_.object([&](std::string_view member) {
      if (member != "layout") {
        cursor_.value();
        return;
      }
      object_or_other([&](std::string_view part) {
        if (part == "dtype" && cursor_.peek() == '"')
          type = cursor_.string(parts_.unescaped);
        else
          cursor_.value();
      });
    });
    return type;
  }

  JsonCursor cursor_;
  const PeerPiece& piece_;
  PeerParts& parts_;
};

void add_span(double span, bool integral, bool first, double& most, bool& all_integral) {
  all_integral = all_integral && integral;
  if (first || span > most || std::isnan(span)) most = !first && std::isnan(most) ? most : span;
}

}  // namespace

void add_times(PeerTimes& times, const std::optional<PeerNumber>& start, const std::optional<PeerNumber>& kern,
               const std::optional<PeerNumber>& end) {
  const bool first = times.entries++ == 0;
  if (!start)
    times.bad_end = times.bad_kern = "start";
  else if (!end)
    times.bad_end = "end";
  if (start && end)
    add_span(end->value - start->value, end->integral && start->integral, first, times.end, times.integral_end);
  if (start && kern)
    add_span(kern->value - start->value, kern->integral && start->integral, first, times.kern, times.integral_kern);
  if (!kern) times.bad_kern = "kern";
}

void read_peer_piece(std::string_view padded_text, const PeerPiece& piece) { PieceReader(padded_text, piece).read(); }

}  // namespace takt
