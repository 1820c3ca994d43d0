// Which predictor answers where nobody names one: that of this machine if it was calibrated, else one that the program
// brings, whose interval then has to hold what machines differ by.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "predict/answer/predictor.h"

namespace takt {

struct ChosenPredictor {
  Predictor predictor;
  std::string name;  ///< "cpu", "calibrated", or the path that was named
  /// The interval is that many times as wide each way, for a machine that was not measured; nullopt: this one was, or
  /// the predictor was named, and its times are those of its own machine.
  std::optional<double> machine_factor;
  bool is_of_this_class = true;  ///< of machines
  std::string note{};            ///< why a calibrated predictor is not used; empty: there is none, or it is
};

/// How many times as fast or slow another machine may be. Of processors: the peak rates of a core differ by so much
/// between AVX2 at 3 GHz (the dataset's) and either an older one with SSE or two units of AVX-512, as do bandwidths of
/// memory between a crowded server and a new desktop. GPUs differ by more. Machines of one class (measured_machine.h)
/// may be of several generations, and have other neighbours.
inline constexpr double other_cpu_factor = 2.5, other_gpu_factor = 5, same_class_factor = 1.25;

/// How many times as long a run may take beside others that keep this share of the processors busy, 0 to 1: up to four
/// times. A core that runs two threads gives each about half of what it gives one, and where none is left, a further
/// thread gets half of one or less, as those that wait for a processor are not counted.
inline double slowest_beside(double busy_share) { return 1 + 3 * busy_share; }

/// For a model on this machine's `device`: the calibrated predictor, else the shipped one with a wider interval, also
/// since a user's model is of no family of the dataset. Throws Error(unsupported) for a device that neither is for.
ChosenPredictor choose_predictor(const std::string& device);

/// The one that was named: of a shipped predictor the name, else a folder or file. Throws as read_predictor().
ChosenPredictor named_predictor(const std::filesystem::path& named);

/// Where the calibrated predictor of a device is kept (the user's cache folder); empty: the user has none.
std::filesystem::path calibrated_path(const std::string& device);

}  // namespace takt
