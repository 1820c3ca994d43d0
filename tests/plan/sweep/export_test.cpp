#include "plan/sweep/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "base/files/journal.h"
#include "test_folder.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

SweepCases two_cases() { return {.sizes = {{5, 9}, {6, 12}}, .features = 4}; }

/// Writes IR that says what it is of, and counts.
class Converter : public Runtime {
 public:
  explicit Converter(std::string release) : release_(std::move(release)) {}

  std::string_view name() const override { return "openvino"; }
  std::string version() const override { return release_; }
  std::vector<DeviceStatus> devices() override { return {}; }
  std::unique_ptr<Session> open(const fs::path&, const Graph*, const SessionSettings&) override { return nullptr; }
  std::optional<std::map<std::string, PartialShape>> infer_shapes(const fs::path&,
                                                                  const std::map<std::string, Shape>&) override {
    return std::nullopt;
  }
  bool convert(const fs::path& model, const fs::path& to) override {
    ++conversions;
    write_file_atomically(fs::path(to).replace_extension(".bin"), read_file(model));
    write_file_atomically(to, release_ + " of " + model.filename().string());
    return true;
  }

  int conversions = 0;

 private:
  std::string release_;
};

class Exports : public testing::Test {
 protected:
  std::vector<ExportedModel> run(const SweepCases& cases = two_cases()) {
    return export_models(stage_exports({Network::sage}, cases), {.folder = folder_.path(), .converter = &converter_});
  }
  std::vector<ExportedModel> run_without_converter() {
    return export_models(stage_exports({Network::sage}, two_cases()), {.folder = folder_.path()});
  }
  static std::vector<std::string> written(const std::vector<ExportedModel>& models) {
    std::vector<std::string> names;
    for (const ExportedModel& model : models)
      if (model.is_new) names.push_back(model.what.name());
    return names;
  }
  fs::path onnx(const std::string& name) const { return folder_ / ("exported_models/onnx_models/" + name + ".onnx"); }
  fs::path ir(const std::string& name, const std::string& ending) const {
    return folder_ / ("exported_models/ir_models/" + name + ending);
  }
  fs::path journal() const { return folder_ / "exported_models/models.jsonl"; }

  TestFolder folder_;
  Converter converter_{"1.0"};
};

TEST(StageExports, of_one_network_and_fifteen_sizes_are_fourteen_open_and_a_hundred_and_five_fixed_models) {
  const auto exports = stage_exports({Network::sage}, sweep_cases("15"));
  EXPECT_EQ(exports.size(), 119u);
  const auto count = [&](const std::string& device, ElementType precision, bool is_fixed) {
    return std::count_if(exports.begin(), exports.end(), [&](const StageExport& one) {
      return one.device == device && one.settings.precision == precision && one.settings.size.has_value() == is_fixed;
    });
  };
  EXPECT_EQ(count("CPU", ElementType::f32, false), 7);
  EXPECT_EQ(count("GPU", ElementType::f16, false), 7);
  EXPECT_EQ(count("NPU", ElementType::f16, true), 105);
  EXPECT_EQ(stage_exports({Network::sage, Network::gcn, Network::gat}, sweep_cases("15")).size(), 20u * 17);
}

TEST(StageExports, have_names_of_their_own) {
  std::set<std::string> names;
  const auto exports = stage_exports({Network::gat, Network::gcn}, two_cases());
  for (const StageExport& one : exports) names.insert(one.name());
  EXPECT_EQ(names.size(), exports.size());
  EXPECT_TRUE(names.contains("gat_stage3_cpu"));
  EXPECT_TRUE(names.contains("gcn_stage6_npu_n6_e12"));
}

TEST_F(Exports, are_models_that_can_be_read_with_their_ir_beside) {
  const auto models = run();
  ASSERT_EQ(models.size(), 28u);  // 7 stages × (CPU, GPU, 2 sizes)
  for (const ExportedModel& model : models) {
    EXPECT_TRUE(model.is_new);
    EXPECT_NO_THROW(read_onnx(folder_.path() / model.onnx)) << model.onnx;
    ASSERT_TRUE(model.ir);
    EXPECT_TRUE(fs::exists(folder_.path() / *model.ir)) << *model.ir;
  }
  EXPECT_EQ(models[0].onnx, "exported_models/onnx_models/sage_stage1_cpu.onnx");
  EXPECT_EQ(*models[0].ir, "exported_models/ir_models/sage_stage1_cpu.xml");
  EXPECT_EQ(read_file(ir("sage_stage1_cpu", ".bin")), read_file(onnx("sage_stage1_cpu")));
}

TEST_F(Exports, that_are_there_are_not_written_again) {
  run();
  const auto before = fs::last_write_time(onnx("sage_stage6_gpu"));
  const auto again = run();
  EXPECT_THAT(written(again), testing::IsEmpty());
  EXPECT_EQ(converter_.conversions, 28);
  EXPECT_EQ(fs::last_write_time(onnx("sage_stage6_gpu")), before);
  EXPECT_TRUE(again[0].ir);
}

TEST_F(Exports, that_are_lost_or_damaged_are_written_again_and_no_others) {
  run();
  const std::string whole = read_file(onnx("sage_stage6_cpu"));
  fs::remove(onnx("sage_stage1_cpu"));
  fs::resize_file(onnx("sage_stage6_cpu"), 100);
  fs::remove(ir("sage_stage7_gpu", ".bin"));
  write_file_atomically(ir("sage_stage2_npu_n5_e9", ".xml"), "edited");
  EXPECT_THAT(written(run()), testing::UnorderedElementsAre("sage_stage1_cpu", "sage_stage6_cpu", "sage_stage7_gpu",
                                                            "sage_stage2_npu_n5_e9"));
  EXPECT_EQ(read_file(onnx("sage_stage6_cpu")), whole);
  EXPECT_EQ(read_file(ir("sage_stage2_npu_n5_e9", ".xml")), "1.0 of sage_stage2_npu_n5_e9.onnx");
}

TEST_F(Exports, of_other_features_or_by_another_openvino_are_new) {
  run();
  SweepCases wider = two_cases();
  wider.features = 5;
  EXPECT_GT(written(run(wider)).size(), 20u);
  run();
  converter_ = Converter("2.0");
  EXPECT_EQ(written(run()).size(), 28u);
  EXPECT_EQ(read_file(ir("sage_stage1_cpu", ".xml")), "2.0 of sage_stage1_cpu.onnx");
}

TEST_F(Exports, without_a_converter_are_onnx_alone_and_get_their_ir_later) {
  for (const ExportedModel& model : run_without_converter()) EXPECT_FALSE(model.ir);
  EXPECT_FALSE(fs::exists(folder_ / "exported_models/ir_models"));
  for (const ExportedModel& model : run()) EXPECT_TRUE(model.is_new && model.ir);
  // What has its IR keeps it where nobody can convert.
  for (const ExportedModel& model : run_without_converter()) EXPECT_TRUE(!model.is_new && model.ir);
}

TEST_F(Exports, never_leave_the_ir_of_another_model_beside_a_new_one) {
  run();
  SweepCases wider = two_cases();
  wider.features = 5;
  export_models(stage_exports({Network::sage}, wider), {.folder = folder_.path()});
  EXPECT_FALSE(fs::exists(ir("sage_stage1_cpu", ".xml")));
  EXPECT_FALSE(fs::exists(ir("sage_stage1_cpu", ".bin")));
}

TEST_F(Exports, that_were_stopped_go_on) {
  std::atomic<bool> stop = false;
  ExportSettings settings{.folder = folder_.path(), .converter = &converter_, .stop = &stop};
  settings.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, 28u);
    if (done == 9) stop = true;
  };
  try {
    export_models(stage_exports({Network::sage}, two_cases()), settings);
    FAIL() << "not stopped";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "stopped after 10 of 28 models; the same command resumes from here");
  }
  EXPECT_EQ(written(run()).size(), 18u);
}

TEST_F(Exports, whose_last_line_is_torn_lose_that_model_only) {
  run();
  fs::resize_file(journal(), fs::file_size(journal()) - 5);
  EXPECT_THAT(written(run()), testing::ElementsAre("sage_stage7_npu_n6_e12"));
}

TEST_F(Exports, lines_that_say_nothing_are_no_models) {
  run();
  { Journal(journal()).append(R"({"model": "sage_stage1_cpu", "files": 3})"); }
  EXPECT_THAT(written(run()), testing::IsEmpty());
}

TEST_F(Exports, into_a_folder_that_another_export_writes_to_are_refused_unless_nothing_is_missing) {
  const auto models = run();
  const Journal other(journal());
  EXPECT_THAT(written(run()), testing::IsEmpty());
  fs::remove(folder_.path() / models.front().onnx);
  EXPECT_THROW(run(), Error);
}

TEST_F(Exports, into_a_file_are_refused) {
  folder_.write("exported_models", "a file");
  EXPECT_THROW(run(), Error);
}

TEST_F(Exports, are_told_in_tables) {
  run();
  fs::remove(onnx("sage_stage1_cpu"));
  const auto tables = export_tables(run());
  const Table& summary = table_named(tables, "exports");
  ASSERT_EQ(summary.rows.size(), 3u);
  EXPECT_EQ(to_csv(summary),
            "network,made_for,model_type,exported,written,with_ir\n"
            "GraphSAGE,CPU,f32,7,1,7\nGraphSAGE,GPU,f16,7,0,7\nGraphSAGE,NPU,f16,14,0,14\n");
  const std::string models = to_csv(table_named(tables, "models"));
  EXPECT_THAT(models,
              testing::HasSubstr("GraphSAGE,1,GATHER,CPU,f32,,,exported_models/onnx_models/sage_stage1_cpu.onnx,"
                                 "exported_models/ir_models/sage_stage1_cpu.xml,yes\n"));
  EXPECT_THAT(models, testing::HasSubstr("GraphSAGE,3,REDUCE_SUM,NPU,f16,6,12,"));
}

}  // namespace
}  // namespace takt
