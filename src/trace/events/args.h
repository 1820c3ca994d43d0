// Arguments of a trace's events, kept small: a foreign trace has ten of them per event.
//
// Events of one kind have the same keys in the same order, so the keys and types are stored once as a shape, and an
// event stores its shape and the bare values: 4 bytes for a text or a small number, 8 for the others.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <variant>
#include <vector>

#include "trace/events/strings.h"

namespace takt {

/// A value that is neither a 64-bit integer, a finite number nor a text: `true`, `null`, a list, an object. The text is
/// its JSON.
struct TraceJson {
  StringId text{};
  bool operator==(const TraceJson&) const = default;
};

struct TraceArg {
  StringId key{};
  std::variant<std::int64_t, double, StringId, TraceJson> value;
  bool operator==(const TraceArg&) const = default;
};

class ArgStore;

/// The arguments of one event, in order. A view: valid until its ArgStore changes.
class TraceArgs {
 public:
  class Iterator {
   public:
    Iterator(const TraceArgs* args, std::size_t position) : args_(args), position_(position) {}
    TraceArg operator*() const { return (*args_)[position_]; }
    Iterator& operator++() {
      ++position_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return position_ == other.position_; }

   private:
    const TraceArgs* args_;
    std::size_t position_;
  };

  TraceArgs() = default;
  TraceArgs(const ArgStore& store, std::uint32_t run);
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  TraceArg operator[](std::size_t position) const;
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size_}; }

 private:
  const ArgStore* store_ = nullptr;
  std::uint32_t shape_ = 0;
  std::size_t size_ = 0, offset_ = 0;
};

/// Runs of arguments by number; run 0 is empty. Not thread-safe.
class ArgStore {
 public:
  ArgStore();
  /// Returns the run's number.
  std::uint32_t add(std::span<const TraceArg> args);
  /// Adds the runs of `other` with its texts renumbered by `strings`; returns what is added to its run numbers. Run 0
  /// stays 0. Throws Error(bad_input) beyond 2^32 values.
  std::uint32_t append(const ArgStore& other, std::span<const StringId> strings);
  void reserve(std::size_t runs, std::size_t values);
  /// Forgets all runs but run 0.
  void clear() {
    runs_.resize(1);
    values_.clear();
  }
  std::size_t runs() const { return runs_.size(); }
  std::size_t values() const { return values_.size(); }

 private:
  friend class TraceArgs;
  enum class Kind : std::uint8_t { small_integer, integer, number, text, json };
  struct Slot {
    StringId key{};
    Kind kind{};
    std::uint32_t offset = 0;  ///< of its value in the run
  };
  struct Shape {
    std::vector<Slot> slots;
    std::uint32_t width = 0;  ///< values of a run
  };
  struct Run {
    std::uint32_t shape = 0, offset = 0;
  };

  static Kind kind_of(const TraceArg& arg);
  static std::uint32_t width_of(Kind kind) { return kind == Kind::integer || kind == Kind::number ? 2 : 1; }
  std::uint32_t shape_of(std::span<const Slot> slots);
  void check_room(std::size_t more) const;

  bool is_shape(std::uint32_t shape, std::span<const Slot> slots) const;

  std::vector<Shape> shapes_;
  std::array<std::uint32_t, 64> recent_shapes_{};  // by some bits of the hash: events take turns on few shapes
  std::unordered_multimap<std::uint64_t, std::uint32_t> shape_index_;  // by hash of the slots
  std::vector<Run> runs_;
  std::vector<std::uint32_t> values_;
  std::vector<Slot> scratch_;
};

}  // namespace takt
