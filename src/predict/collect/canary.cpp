#include "predict/collect/canary.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "base/files/temporary_folder.h"
#include "base/statistics/statistics.h"
#include "measure/open/prepared_model.h"
#include "model/onnx/builder.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds longest_song = 2ms;
constexpr int songs_in_time = 100;  // of a measurement at least

Nanoseconds song_for(const RunSettings& settings) {
  return std::min(longest_song, std::chrono::duration_cast<Nanoseconds>(settings.min_time) / songs_in_time);
}

RunSettings with_one_thread(RunSettings settings) {
  settings.threads = 1;
  return settings;
}

/// Products of `rows` rows with `layers` square matrices, one behind the other.
void write_chain(const std::filesystem::path& path, std::int64_t rows, std::int64_t numbers, int layers) {
  ModelBuilder b("canary");
  std::string x = b.input("x", ElementType::f32, {rows, numbers});
  for (int i = 0; i < layers; ++i) x = b.node("Relu", {b.node("MatMul", {x, b.weight({numbers, numbers})})});
  b.output(x, ElementType::f32, {rows, numbers});
  write_onnx(b.build(), path);
}

struct CanaryModel {
  CanaryModel(const std::filesystem::path& path, const RunSettings& settings) : model(path, settings) {
    session = model.open(false);
    session->set_inputs(model.values(session->inputs()));
    song = song_for(settings);
    run();  // warms up
  }

  /// Mean of the runs of a song.
  Nanoseconds run() {
    std::int64_t runs = 0;
    const Nanoseconds begin = steady_now();
    Nanoseconds spent{};
    do {
      session->run();
      ++runs, spent = steady_now() - begin;
    } while (spent < song);
    return spent / runs;
  }

  PreparedModel model;
  std::unique_ptr<Session> session;
  Nanoseconds song{};
  std::vector<Nanoseconds> songs;
};

}  // namespace

struct Canary::Models {
  explicit Models(const RunSettings& settings)
      : compute(written("compute.onnx", 64, 128, 8), settings), memory(written("memory.onnx", 4, 1024, 4), settings) {}

  std::filesystem::path written(const char* name, std::int64_t rows, std::int64_t numbers, int layers) const {
    const auto path = folder.path() / name;
    write_chain(path, rows, numbers, layers);
    return path;
  }

  TemporaryFolder folder{"takt"};
  CanaryModel compute, memory;
};

Canary::Canary(const RunSettings& settings) : models_(std::make_unique<Models>(with_one_thread(settings))) {}
Canary::~Canary() = default;

void Canary::sing() {
  for (CanaryModel* one : {&models_->compute, &models_->memory}) one->songs.push_back(one->run());
}

std::optional<CanaryTimes> Canary::times() const {
  const auto computing = trimmed_mean(models_->compute.songs, 0.1), reading = trimmed_mean(models_->memory.songs, 0.1);
  if (!computing || !reading) return std::nullopt;
  return CanaryTimes{*computing / 1000, *reading / 1000};
}

}  // namespace takt
