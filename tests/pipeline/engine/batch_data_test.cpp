// Values of inputs batch by batch, as `data` of a pipeline file says: which files, in which order, and what is refused.
#include "pipeline/engine/batch_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/basics/error.h"
#include "model/runtime/models.h"
#include "pipeline/engine/engine.h"
#include "pipeline/engine/simulation.h"
#include "pipeline/record/run_check.h"
#include "refused.h"

namespace takt {
namespace {

/// A NumPy file of float32, as numpy.save writes it.
std::string npy(const Shape& shape, const std::vector<float>& values) {
  std::string dims;
  for (const auto size : shape) dims += std::to_string(size) + ",";
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + dims + "), }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() % 256);
  file += static_cast<char>(header.size() / 256);
  file += header;
  file.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  return file;
}

std::string told(const std::string& text, const TestFolder& folder) {
  try {
    read_pipeline(folder.write("p.yaml", text));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    std::string what = error.what();
    for (const std::string& path : {(folder.path() / "p.yaml").string(), folder.path().string()})
      for (auto at = what.find(path); at != std::string::npos; at = what.find(path))
        what.replace(at, path.size(), path.ends_with(".yaml") ? "p.yaml" : "DIR");
    return what;
  }
  return "taken";
}

std::string one_stage(const std::string& rest) {
  return "stages:\n  - name: a\n    dummy: {matmul: 3}\n    " + rest + "\n";
}

TEST(DataOfAStage, is_a_folder_a_list_or_files_beside_the_pipeline) {
  const TestFolder folder;
  for (const char* name : {"b.npy", "a.npy", "c.npy"})
    folder.write(std::string("frames/") + name, npy({1, 3}, {1, 2, 3}));
  folder.write("frames/readme.md", "not a value");
  folder.write("lists/two.txt", "# by hand\n../frames/c.npy\n\n  ../frames/a.npy  \n");
  const auto names = [&](const std::string& data) {
    const auto spec = read_pipeline(folder.write("p.yaml", one_stage("data: " + data)));
    std::vector<std::string> found;
    for (const auto& [input, one] : spec.stages[0].data) {
      found.push_back(input);
      for (const auto& file : one.files) found.push_back(file.filename().string());
    }
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("{x: frames/}"), (Names{"x", "a.npy", "b.npy", "c.npy"}));
  EXPECT_EQ(names("frames"), (Names{"", "a.npy", "b.npy", "c.npy"}));
  EXPECT_EQ(names("{x: lists/two.txt}"), (Names{"x", "c.npy", "a.npy"}));
  EXPECT_EQ(names("[frames/c.npy, frames/c.npy]"), (Names{"", "c.npy", "c.npy"}));
  EXPECT_EQ(names("{x: frames/b.npy}"), (Names{"x", "b.npy"}));
  EXPECT_EQ(names("{x: {generated: 5}}"), Names{"x"});
}

TEST(DataOfAStage, mistakes_are_named_with_line_and_key) {
  const TestFolder folder;
  folder.write("frames/a.npy", npy({1, 3}, {1, 2, 3}));
  folder.write("empty/readme.md", "nothing");
  folder.write("two.txt", "frames/a.npy\nframes/z.npy\n");
  EXPECT_EQ(
      told(one_stage("data: {x: none/}"), folder),
      "p.yaml:4: stages[0].data.x: the folder DIR/none/ does not exist; check the path, which is relative to this "
      "file's folder");
  EXPECT_EQ(
      told(one_stage("data: {x: none}"), folder),
      "p.yaml:4: stages[0].data.x: DIR/none is not a file of values (.npy, .json, .ppm, .pgm); name such files, or "
      "a folder of them");
  EXPECT_EQ(told(one_stage("data: none.npy"), folder),
            "p.yaml:4: stages[0].data: the file DIR/none.npy does not exist; check the path, which is relative to this "
            "file's folder");
  EXPECT_EQ(
      told(one_stage("data: {x: [frames/a.npy, none.npy]}"), folder),
      "p.yaml:4: stages[0].data.x: the file DIR/none.npy does not exist; check the path, which is relative to this "
      "file's folder");
  EXPECT_EQ(
      told(one_stage("data: {x: two.txt}"), folder),
      "p.yaml:4: stages[0].data.x: the file DIR/frames/z.npy does not exist; check the path, which is relative to "
      "this file's folder");
  EXPECT_EQ(
      told(one_stage("data: {x: three.txt}"), folder),
      "p.yaml:4: stages[0].data.x: the file DIR/three.txt does not exist; check the path, which is relative to this "
      "file's folder");
  EXPECT_EQ(told(one_stage("data: {x: empty}"), folder),
            "p.yaml:4: stages[0].data.x: has no files of values (.npy, .json, .ppm, .pgm); add some");
  EXPECT_EQ(told(one_stage("data: []"), folder),
            "p.yaml:4: stages[0].data: has no files of values (.npy, .json, .ppm, .pgm); add some");
  EXPECT_EQ(told(one_stage("data: [[frames]]"), folder),
            "p.yaml:4: stages[0].data: has an entry that is not a file name; write [a.npy, b.npy]");
  EXPECT_EQ(told(one_stage("data: ~"), folder),
            "p.yaml:4: stages[0].data: is neither a folder nor a list of files; write frames/, or [a.npy, b.npy]");
  EXPECT_EQ(told(one_stage("data: {x: {generated: 0}}"), folder),
            "p.yaml:4: stages[0].data.x.generated: 0 is out of range; use 1 to 100000");
  EXPECT_EQ(told(one_stage("data: {x: {}}"), folder),
            "p.yaml:4: stages[0].data.x: is empty; write {generated: 16}, or name files");
  EXPECT_EQ(told(one_stage("data: {x: {seed: 4}}"), folder),
            "p.yaml:4: stages[0].data.x.seed: unknown key; the keys are generated");
  EXPECT_EQ(told(one_stage("data: {x: frames}\n    inputs: {x: \"{1,3}\"}"), folder),
            "p.yaml:4: stages[0].data.x: is given in addition to 'inputs.x', which also sets the values of the input; "
            "keep one");
  EXPECT_EQ(told(one_stage("data: {x: {generated: 2}}\n    inputs: {x: \"{1,3}\"}"), folder), "taken") << "its shape";
  EXPECT_EQ(told("stages:\n  - {name: a, dummy: {matmul: 3}}\n  - {name: b, dummy: {matmul: 3}, connect: {x: a.y}, "
                 "data: {x: frames}}\n",
                 folder),
            "p.yaml:3: stages[1].data.x: is given in addition to 'connect.x', which also sets the values of the input; "
            "keep one");
  EXPECT_EQ(told("stages:\n  - {name: a, dummy: {time: 1ms}, device: sim:CPU, data: frames}\n", folder),
            "p.yaml:2: stages[0].data: is for the inputs of a model, and this stage has none; leave it out");
}

TEST(Turns, values_are_read_once_and_take_turns) {
  const TestFolder folder;
  folder.write("frames/a.npy", npy({3}, {1, 2, 3}));  // {3} is taken as {1,3}
  folder.write("frames/b.npy", npy({3}, {4, 5, 6}));
  const auto spec = read_pipeline(folder.write("p.yaml", one_stage("data: {x: frames}")));
  const auto turns =
      read_turns(spec.stages[0], {{"w", ElementType::f32, {}}, {"x", ElementType::f32, {{{}, "n"}, {3, ""}}}});
  ASSERT_EQ(turns.size(), 1u);
  EXPECT_EQ(turns[0].input, 1u);
  ASSERT_EQ(turns[0].values.size(), 2u);
  EXPECT_EQ(values_of(*turns[0].values[0]), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(values_of(*turns[0].values[1]), (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(turns[0].values[1]->shape, (Shape{1, 3}));
  const auto notes = notes_on_turns("a", turns, 5);
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_NE(notes[0].find("a.npy: shape {3} was taken as {1,3} for input 'x'"), std::string::npos) << notes[0];
  EXPECT_EQ(notes[1], "stage 'a': 2 values of input 'x' were used in rotation for 5 batches");
  EXPECT_EQ(notes_on_turns("a", turns, 2).size(), 1u) << "each was used once";
}

TEST(Turns, what_does_not_fit_the_model_is_refused) {
  const TestFolder folder;
  folder.write("frames/a.npy", npy({1, 3}, {1, 2, 3}));
  folder.write("frames/b.npy", npy({2, 3}, {1, 2, 3, 4, 5, 6}));
  const auto refusal = [&](const std::string& data, const std::vector<Port>& ports) {
    const auto spec = read_pipeline(folder.write("p.yaml", one_stage("data: " + data)));
    try {
      read_turns(spec.stages[0], ports);
    } catch (const Error& error) {
      std::string what = error.what();
      const auto at = what.find(folder.path().string());
      return at == std::string::npos ? what : what.erase(at, folder.path().string().size());
    }
    return std::string("taken");
  };
  const Port x{"x", ElementType::f32, {{{}, "n"}, {3, ""}}}, y{"y", ElementType::f32, {{2, ""}, {2, ""}}};
  EXPECT_EQ(refusal("{z: frames}", {x, y}), "data.z: the model does not have this input; did you mean 'x'?");
  EXPECT_EQ(refusal("frames", {x, y}), "data: the model has 2 inputs; write 'data: {NAME: …}' with one of x, y");
  EXPECT_EQ(refusal("frames", {x}), "taken") << "of different sizes where the model leaves them open";
  EXPECT_EQ(refusal("{y: frames/a.npy}", {x, y}),
            "data.y: /frames/a.npy: shape {1,3} does not fit input 'y', which is {2,2} in the model; give values of "
            "that shape");
}

TEST(Turns, generated_values_differ_and_are_the_same_for_the_same_seed) {
  const Port port{"x", ElementType::f32, {}};
  const std::vector<SharedTensor> samples{std::make_shared<HostTensor>(floats("x", {2}, {1, 2}))};
  const auto generated = [&](std::uint64_t seed) {
    std::vector<InputTurns> turns{{0, "x", {}, 4}};
    generate_turns(turns, samples, seed);
    std::vector<std::vector<float>> values;
    for (const auto& value : turns[0].values) values.push_back(values_of(*value));
    return values;
  };
  const auto values = generated(1);
  ASSERT_EQ(values.size(), 4u);
  EXPECT_EQ(values[0], (std::vector<float>{1, 2})) << "what it would have without";
  EXPECT_EQ(std::set<std::vector<float>>(values.begin(), values.end()).size(), 4u);
  EXPECT_EQ(generated(1), values);
  EXPECT_NE(generated(2), values);
  std::vector<InputTurns> many{{0, "x", {}, std::int64_t{1} << 40}};
  EXPECT_EQ(refused_with([&] { generate_turns(many, samples, 1); }),
            "data.x: 1099511627776 values need more than 8 GiB, and all of them are kept in memory; use fewer")
      << "more than fits into memory";
}

class RealData : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto names = runtime_names();
    if (std::find(names.begin(), names.end(), GetParam()) == names.end())
      GTEST_SKIP() << GetParam() << " is not in this binary";
    folder_.write("relu.onnx", open_batch().serialize());
    for (int f = 0; f < 3; ++f) {
      const auto first = static_cast<float>(10 * f);
      folder_.write("frames/" + std::to_string(f) + ".npy", npy({2, 3}, {first, 1, 2, first, -1, -2}));
    }
  }
  /// The outputs of each batch, flat.
  std::map<std::int64_t, std::vector<float>> run(const std::string& yaml, std::vector<std::string>* notes = nullptr) {
    std::map<std::int64_t, std::vector<float>> seen;
    EngineSettings settings;
    settings.take_outputs = [&](std::int64_t batch, const std::vector<SharedTensor>& outputs) {
      seen[batch] = values_of(*outputs.at(0));
    };
    const auto outcome = run_pipeline(read_pipeline(folder_.write("p.yaml", yaml)), settings);
    EXPECT_FALSE(outcome.run.failure) << *outcome.run.failure;
    check(outcome.run, "run");
    if (notes) *notes = outcome.notes;
    return seen;
  }
  void expect_frames(const std::map<std::int64_t, std::vector<float>>& seen) {
    for (const auto& [batch, values] : seen) {
      const auto first = static_cast<float>(10 * (batch % 3));
      EXPECT_EQ(values, (std::vector<float>{first, 1, 2, first, 0, 0})) << batch;
    }
  }
  TestFolder folder_;
};

TEST_P(RealData, every_batch_has_the_values_of_its_file) {
  std::vector<std::string> notes;
  const auto seen = run(
      "batches: 10\nstages:\n  - {name: a, model: relu.onnx, data: {x: frames}, replicas: 2, runtime: " + GetParam() +
          "}\n",
      &notes);
  ASSERT_EQ(seen.size(), 10u);
  expect_frames(seen);
  EXPECT_EQ(notes, std::vector<std::string>{"stage 'a': 3 values of input 'x' were used in rotation for 10 batches"});
}

TEST_P(RealData, parts_get_their_rows_of_it) {
  const auto seen = run(
      "batches: 7\nstages:\n  - {name: a, model: relu.onnx, data: frames, split: {devices: [CPU, CPU], ratio: [0.5, "
      "0.5]}, runtime: " +
      GetParam() + "}\n");
  ASSERT_EQ(seen.size(), 7u);
  expect_frames(seen);
}

TEST_P(RealData, a_later_stage_takes_data_instead_of_what_came_before) {
  const std::string runtime = ", runtime: " + GetParam();
  const auto seen = run("batches: 6\nstages:\n  - {name: a, model: relu.onnx, inputs: {x: \"{5,3}\"}" + runtime +
                        "}\n  - {name: b, model: relu.onnx, data: {x: frames}" + runtime + "}\n");
  ASSERT_EQ(seen.size(), 6u);
  expect_frames(seen);
}

TEST_P(RealData, what_does_not_fit_is_named_before_anything_runs) {
  folder_.write("frames/3.npy", npy({2, 4}, std::vector<float>(8)));
  try {
    run("stages:\n  - {name: a, model: relu.onnx, data: {x: frames}, runtime: " + GetParam() + "}\n");
    ADD_FAILURE() << "was taken";
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("p.yaml:2: stages[0] 'a': data.x: "), std::string::npos) << what;
    EXPECT_NE(what.find("3.npy: shape {2,4} does not fit input 'x', which is {batch,3} in the model"),
              std::string::npos)
        << what;
  }
}

TEST_P(RealData, batches_may_be_of_different_sizes_through_all_stages) {
  folder_.write("lengths/0.npy", npy({2, 3}, {1, 1, 1, -1, 1, 1}));
  folder_.write("lengths/1.npy", npy({1, 3}, {2, -2, 2}));
  folder_.write("lengths/2.npy", npy({4, 3}, {3, 3, 3, 3, 3, 3, -3, -3, -3, 3, 3, 3}));
  const std::string rest = ", replicas: 2, runtime: " + GetParam() + "}\n";
  std::vector<std::string> notes;
  const auto seen = run("batches: 20\nstages:\n  - {name: a, model: relu.onnx, data: {x: lengths}" + rest +
                            "  - {name: b, model: relu.onnx" + rest,
                        &notes);
  ASSERT_EQ(seen.size(), 20u);
  const std::vector<std::vector<float>> wanted{{1, 1, 1, 0, 1, 1}, {2, 0, 2}, {3, 3, 3, 3, 3, 3, 0, 0, 0, 3, 3, 3}};
  for (const auto& [batch, values] : seen) EXPECT_EQ(values, wanted[static_cast<std::size_t>(batch % 3)]) << batch;
  ASSERT_EQ(notes.size(), 3u);
  for (const std::size_t s : {std::size_t{0}, std::size_t{1}}) {
    const std::string stage = s == 0 ? "stage 'a'" : "stage 'b'";
    EXPECT_TRUE(notes[1 + s].starts_with(stage + " takes by size, in the median: ")) << notes[1 + s];
    EXPECT_NE(notes[1 + s].find(" for x {1,3}, "), std::string::npos) << notes[1 + s];
    EXPECT_TRUE(notes[1 + s].ends_with(" for x {4,3}")) << notes[1 + s];
  }
}

TEST_P(RealData, parts_of_a_split_stage_need_batches_of_one_size) {
  folder_.write("frames/3.npy", npy({4, 3}, std::vector<float>(12)));
  try {
    run("stages:\n  - {name: a, model: relu.onnx, data: frames, split: {devices: [CPU, CPU], ratio: [0.5, 0.5]}, "
        "runtime: " +
        GetParam() + "}\n");
    ADD_FAILURE() << "was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("values of different sizes are not possible for a split stage"),
              std::string::npos)
        << error.what();
  }
}

TEST_P(RealData, generated_values_differ_batch_by_batch) {
  const auto seen =
      run("batches: 9\nstages:\n  - {name: a, model: relu.onnx, inputs: {x: \"{4,3}\"}, data: {x: "
          "{generated: 4}}, runtime: " +
          GetParam() + "}\n");
  ASSERT_EQ(seen.size(), 9u);
  std::set<std::vector<float>> different;
  for (const auto& [batch, values] : seen) {
    EXPECT_EQ(values.size(), 12u);
    EXPECT_EQ(values, seen.at(batch % 4));
    different.insert(values);
  }
  EXPECT_EQ(different.size(), 4u);
}

INSTANTIATE_TEST_SUITE_P(Runtimes, RealData, testing::Values("onnxruntime", "openvino"));

// The first file settles what the model leaves open, also where nothing is computed.
TEST(SimulatedData, gives_the_shape) {
  const TestFolder folder;
  folder.write("relu.onnx", open_batch().serialize());
  folder.write("frames/a.npy", npy({7, 3}, std::vector<float>(21)));
  const auto made = simulate_pipeline(read_pipeline(folder.write(
      "p.yaml", "batches: 3\nstages:\n  - {name: a, model: relu.onnx, device: sim:CPU, data: {x: frames}}\n")));
  EXPECT_EQ(made.stages[0].input_bytes, 7 * 3 * 4);
}

}  // namespace
}  // namespace takt
