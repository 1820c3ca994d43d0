#include "profile/peer_profile.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/text.h"
#include "profile/json_text.h"

namespace takt {

namespace od = simdjson::ondemand;

class PeerReader {
 public:
  PeerReader(PeerProfile& profile, std::string where, bool with_types)
      : profile_(profile), where_(std::move(where)), with_types_(with_types) {}

  void read() {
    const std::string_view text = profile_.file_.text();
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) refuse("is empty");
    try {
      parse(text);
    } catch (const simdjson::simdjson_error& error) {
      refuse(explain(error.error()));
    }
    if (!seen_operators_) refuse("has no 'graph_exec.operator': this is no operator profile");
    if (!seen_profiler_) refuse("has no 'profiler': this is no operator profile");
    for (const std::uint32_t index : order_) profile_.operators_.push_back(pool_[index]);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw Error(ErrorKind::bad_input, where_ + ": " + what); }

  static std::string explain(simdjson::error_code code) {
    switch (code) {
      case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      case simdjson::UNCLOSED_STRING:
      case simdjson::EMPTY:
        return "ends in the middle of a value: the file is truncated or no JSON";
      case simdjson::UTF8_ERROR:
        return "is not UTF-8 text";
      case simdjson::CAPACITY:
      case simdjson::MEMALLOC:
        return "is too large to be read (4 GB at most)";
      case simdjson::UNESCAPED_CHARS:
        return "has a control character inside a string, which JSON forbids";
      default:
        return std::string("is no well-formed JSON (") + simdjson::error_message(code) + ")";
    }
  }

  void parse(std::string_view text) {
    od::parser parser(std::numeric_limits<std::uint32_t>::max());
    od::document document = parser.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING);
    if (document.type() != od::json_type::object) refuse("is JSON, but not an object as a profile is");
    for (auto field : document.get_object()) {
      const std::string_view key = key_of(field);
      if (key == "graph_exec")
        read_graph(object_of(field.value(), key));
      else if (key == "profiler")
        read_profiler(object_of(field.value(), key));
      else
        skip(field.value());
    }
    if (!document.current_location().error()) refuse("has further text behind the profile");
  }

  template <typename Field>
  std::string_view key_of(Field& field) {
    od::raw_json_string key = field.key();
    return string_between(key.raw());
  }

  std::string_view string_between(const char* begin) {
    return json_string(begin, profile_.file_.text(), profile_.unescaped_);
  }

  static std::string_view skip(od::value value) { return simdjson::to_json_string(value); }

  od::object object_of(od::value value, std::string_view key) const {
    if (value.type() != od::json_type::object) refuse("'" + printable(key) + "' is not an object");
    return value.get_object();
  }

  std::string_view text_of(od::value value, std::string_view what) {
    if (value.type() != od::json_type::string) refuse(std::string(what) + " is not text");
    return string_between(value.raw_json_token().data() + 1);
  }

  /// nullopt: no number.
  static std::optional<PeerNumber> number_of(od::value value) {
    const auto type = value.type();
    if (type.error() || type.value_unsafe() == od::json_type::object || type.value_unsafe() == od::json_type::array) {
      skip(value);
      return std::nullopt;
    }
    const std::string_view token = trim(value.raw_json_token());
    return json_number(token);
  }

  PeerOperator& operator_at(std::string_view key) {
    const auto [place, added] = index_.try_emplace(key, static_cast<std::uint32_t>(pool_.size()));
    if (added) pool_.emplace_back();
    return pool_[place->second];
  }

  void read_graph(od::object graph) {
    for (auto field : graph) {
      const std::string_view key = key_of(field);
      if (key == "operator")
        read_operators(object_of(field.value(), key));
      else if (key == "var" && with_types_)
        read_variables(object_of(field.value(), key));
      else
        skip(field.value());
    }
  }

  void read_operators(od::object operators) {
    seen_operators_ = true;
    for (auto field : operators) {
      const std::string_view key = key_of(field);
      PeerOperator& op = operator_at(key);
      if (!op.listed) order_.push_back(index_.at(key));
      op.listed = true;
      op.name = op.type = op.id = {};
      const std::string what = "operator '" + printable(key) + "'";
      for (auto member : object_of(field.value(), what)) read_operator_member(op, member, what);
      if (!op.name.data() || !op.type.data() || !op.id.data()) refuse(what + " lacks its name, type or id");
    }
  }

  template <typename Field>
  void read_operator_member(PeerOperator& op, Field& member, const std::string& what) {
    const std::string_view key = key_of(member);
    od::value value = member.value();
    if (key == "name") {
      op.name = text_of(value, "the name of " + what);
    } else if (key == "type") {
      op.type = text_of(value, "the type of " + what);
    } else if (key == "id") {
      op.id = value.type() == od::json_type::string ? text_of(value, what) : trim(skip(value));
    } else if (key == "input") {
      op.inputs = skip(value);
    } else {
      skip(value);
    }
  }

  void read_variables(od::object variables) {
    for (auto field : variables) {
      const std::string_view id = key_of(field);
      od::value value = field.value();
      if (value.type() != od::json_type::object) {
        skip(value);
        continue;
      }
      // Missing keys and a null plan are common; the raw text is looked at by a second, small parser.
      const std::string_view type = data_type_of(value);
      if (type.data()) profile_.types_[id] = type;
    }
  }

  std::string_view data_type_of(od::value variable) {
    for (auto field : variable.get_object()) {
      const bool plan = key_of(field) == "mem_plan";
      od::value value = field.value();
      if (!plan || value.type() != od::json_type::object) {
        skip(value);
        continue;
      }
      return type_in_plan(value.get_object());
    }
    return {};
  }

  std::string_view type_in_plan(od::object plan) {
    std::string_view type;
    for (auto field : plan) {
      const bool layout = key_of(field) == "layout";
      od::value value = field.value();
      if (!layout || value.type() != od::json_type::object) {
        skip(value);
        continue;
      }
      for (auto part : value.get_object()) {
        const bool dtype = key_of(part) == "dtype";
        od::value name = part.value();
        if (dtype && name.type() == od::json_type::string)
          type = text_of(name, "dtype");
        else
          skip(name);
      }
    }
    return type;
  }

  void read_profiler(od::object profiler) {
    seen_profiler_ = true;
    for (auto field : profiler) {
      const std::string_view key = key_of(field);
      if (key == "device")
        read_times(object_of(field.value(), key), &PeerOperator::device);
      else if (key == "host")
        read_times(object_of(field.value(), key), &PeerOperator::host);
      else if (key == "opr_footprint")
        read_footprints(object_of(field.value(), key));
      else
        skip(field.value());
    }
  }

  void read_times(od::object section, PeerTimes PeerOperator::*member) {
    for (auto field : section) {
      const std::string_view key = key_of(field);
      PeerTimes& times = operator_at(key).*member;
      times = {};
      for (auto node : object_of(field.value(), "times of operator '" + std::string(key) + "'"))
        add_times(times, object_of(node.value(), "times of operator '" + std::string(key) + "'"));
    }
  }

  static void add(double span, bool integral, bool first, double& most, bool& all_integral) {
    all_integral = all_integral && integral;
    if (first || span > most || std::isnan(span)) most = !first && std::isnan(most) ? most : span;
  }

  void add_times(PeerTimes& times, od::object node) {
    std::optional<PeerNumber> start, kern, end;
    for (auto field : node) {
      const std::string_view key = key_of(field);
      od::value value = field.value();
      if (key == "start")
        start = number_of(value);
      else if (key == "kern")
        kern = number_of(value);
      else if (key == "end")
        end = number_of(value);
      else
        skip(value);
    }
    const bool first = times.entries++ == 0;
    if (!start)
      times.bad_end = times.bad_kern = "start";
    else if (!end)
      times.bad_end = "end";
    if (start && end)
      add(end->value - start->value, end->integral && start->integral, first, times.end, times.integral_end);
    if (start && kern)
      add(kern->value - start->value, kern->integral && start->integral, first, times.kern, times.integral_kern);
    if (!kern) times.bad_kern = "kern";
  }

  void read_footprints(od::object section) {
    for (auto field : section) {
      const std::string_view id = key_of(field);
      PeerOperator& op = operator_at(id);
      op.computation = op.memory = std::nullopt;
      op.in_shapes = op.in_layouts = op.out_shapes = {};
      for (auto member : object_of(field.value(), "footprint of operator '" + std::string(id) + "'")) {
        const std::string_view key = key_of(member);
        od::value value = member.value();
        if (key == "computation")
          op.computation = number_of(value);
        else if (key == "memory")
          op.memory = number_of(value);
        else if (key == "in_shapes")
          op.in_shapes = skip(value);
        else if (key == "in_layouts")
          op.in_layouts = skip(value);
        else if (key == "out_shapes")
          op.out_shapes = skip(value);
        else
          skip(value);
      }
    }
  }

  PeerProfile& profile_;
  std::string where_;
  bool with_types_;
  bool seen_operators_ = false, seen_profiler_ = false;
  std::deque<PeerOperator> pool_;
  std::vector<std::uint32_t> order_;
  std::unordered_map<std::string_view, std::uint32_t> index_;
};

PeerProfile::PeerProfile(const std::filesystem::path& path, bool with_types) : file_(path) {
  PeerReader(*this, printable(path.string()), with_types).read();
}

bool PeerProfile::has_input_type(const PeerOperator& op, std::string_view type) const {
  const auto inputs = json_strings(op.inputs);
  return std::any_of(inputs.begin(), inputs.end(), [&](std::string_view id) {
    const auto place = types_.find(id);
    return place != types_.end() && place->second == type;
  });
}

}  // namespace takt
