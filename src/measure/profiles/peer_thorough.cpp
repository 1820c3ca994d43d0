#include <simdjson.h>

#include <limits>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "measure/profiles/json_text.h"
#include "measure/profiles/peer_parts.h"

namespace takt {

namespace {

namespace od = simdjson::ondemand;

class ThoroughReader {
 public:
  ThoroughReader(std::string_view text, const std::string& where, const PeerWanted& wanted)
      : text_(text), where_(where), wanted_(wanted) {}

  PeerContents read() {
    contents_.parts.emplace_back();
    try {
      parse();
    } catch (const simdjson::simdjson_error& error) {
      refuse(explain(error.error()));
    }
    return std::move(contents_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw Error(ErrorKind::bad_input, where_ + ": " + what); }

  static std::string explain(simdjson::error_code code) {
    switch (code) {
      case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      case simdjson::UNCLOSED_STRING:
      case simdjson::EMPTY:
        return "ends in the middle of a value: the file is truncated or not JSON";
      case simdjson::UTF8_ERROR:
        return "is not UTF-8 text";
      case simdjson::CAPACITY:
      case simdjson::MEMALLOC:
        return "is too large to be read (4 GB at most)";
      case simdjson::UNESCAPED_CHARS:
        return "has a control character inside a string, which JSON forbids";
      default:
        return std::string("is not well-formed JSON (") + simdjson::error_message(code) + ")";
    }
  }

  void parse() {
    od::parser parser(std::numeric_limits<std::uint32_t>::max());
    od::document document = parser.iterate(text_.data(), text_.size(), text_.size() + PaddedText::padding);
    if (document.type() != od::json_type::object) refuse("is JSON, but not an object as a profile is");
    for (auto field : document.get_object()) {
      const std::string_view key = key_of(field);
      if (key == "graph_exec")
        read_graph(object_of(field.value(), key));
      else if (key == "profiler")
        read_profiler(object_of(field.value(), key));
      else if (key == "takt")
        contents_.takt_value = trim(skip(field.value()));
      else
        skip(field.value());
    }
    if (!document.current_location().error()) refuse("has further text after the profile");
  }

  template <typename Field>
  std::string_view key_of(Field& field) {
    od::raw_json_string key = field.key();
    return string_between(key.raw());
  }

  std::string_view string_between(const char* begin) { return json_string(begin, text_, parts().unescaped); }

  static std::string_view skip(od::value value) { return simdjson::to_json_string(value); }

  od::object object_of(od::value value, std::string_view key) const {
    if (value.type() != od::json_type::object) refuse("'" + printable(key) + "' is not an object");
    return value.get_object();
  }

  std::string_view text_of(od::value value, std::string_view what) {
    if (value.type() != od::json_type::string) refuse(std::string(what) + " is not a string");
    return string_between(value.raw_json_token().data() + 1);
  }

  /// nullopt: no number.
  static std::optional<PeerNumber> number_of(od::value value) {
    const auto type = value.type();
    if (!type.error() &&
        (type.value_unsafe() == od::json_type::object || type.value_unsafe() == od::json_type::array)) {
      skip(value);
      return std::nullopt;
    }
    const std::string_view token = trim(value.raw_json_token());
    const auto number = json_number(token);
    if (type.error() && !number) throw simdjson::simdjson_error(type.error());  // NaN and Infinity it does not know
    return number;
  }

  PeerParts& parts() { return contents_.parts.front(); }

  void read_graph(od::object graph) {
    for (auto field : graph) {
      const std::string_view key = key_of(field);
      if (key == "operator")
        read_operators(object_of(field.value(), key));
      else if (key == "var" && wanted_.types)
        read_variables(object_of(field.value(), key));
      else
        skip(field.value());
    }
  }

  void read_operators(od::object operators) {
    contents_.has_operators = true;
    for (auto field : operators) {
      const std::string_view key = key_of(field);
      OperatorEntry& op = parts().operators.emplace_back();
      op.key = key;
      const std::string what = "operator '" + printable(key) + "'";
      for (auto member : object_of(field.value(), what)) read_operator_member(op, member, what);
      if (!op.name.data() || !op.type.data() || !op.id.data()) refuse(what + " has no name, type or id");
    }
  }

  template <typename Field>
  void read_operator_member(OperatorEntry& op, Field& member, const std::string& what) {
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
      const std::string_view type = data_type_of(value);
      if (type.data()) parts().types.push_back({id, type});
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
    contents_.has_profiler = true;
    for (auto field : profiler) {
      const std::string_view key = key_of(field);
      if (!wanted_.times)
        skip(field.value());
      else if (key == "device")
        read_times(object_of(field.value(), key), parts().device);
      else if (key == "host")
        read_times(object_of(field.value(), key), parts().host);
      else if (key == "opr_footprint")
        read_footprints(object_of(field.value(), key));
      else
        skip(field.value());
    }
  }

  void read_times(od::object section, std::vector<TimesEntry>& entries) {
    for (auto field : section) {
      const std::string_view key = key_of(field);
      TimesEntry& entry = entries.emplace_back();
      entry.key = key;
      for (auto node : object_of(field.value(), "times of operator '" + std::string(key) + "'"))
        read_node(entry.times, object_of(node.value(), "times of operator '" + std::string(key) + "'"));
    }
  }

  void read_node(PeerTimes& times, od::object node) {
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
    add_times(times, start, kern, end);
  }

  void read_footprints(od::object section) {
    for (auto field : section) {
      const std::string_view id = key_of(field);
      FootprintEntry& footprint = parts().footprints.emplace_back();
      footprint.key = id;
      for (auto member : object_of(field.value(), "footprint of operator '" + std::string(id) + "'")) {
        const std::string_view key = key_of(member);
        od::value value = member.value();
        if (key == "computation")
          footprint.computation = number_of(value);
        else if (key == "memory")
          footprint.memory = number_of(value);
        else if (key == "in_shapes")
          footprint.in_shapes = skip(value);
        else if (key == "in_layouts")
          footprint.in_layouts = skip(value);
        else if (key == "out_shapes")
          footprint.out_shapes = skip(value);
        else
          skip(value);
      }
    }
  }

  std::string_view text_;
  const std::string& where_;
  PeerWanted wanted_;
  PeerContents contents_;
};

}  // namespace

PeerContents read_peer_thoroughly(const PaddedText& text, const std::string& where, const PeerWanted& wanted) {
  return ThoroughReader(text.text(), where, wanted).read();
}

}  // namespace takt
