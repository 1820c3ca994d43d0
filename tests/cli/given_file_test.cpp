// What a file is that a command refused, and which command reads it: by its content.
#include "cli/line/given_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "test_folder.h"

namespace takt {
namespace {

class GivenFile : public testing::Test {
 protected:
  /// What is said of a file that `command` refused; the file's name is left out.
  std::string use(const std::string& file, const std::string& text, std::vector<std::string> command = {"predict"}) {
    const std::string path = (folder_ / file).string();
    std::ofstream(path) << text;
    command.push_back(path);
    std::string said = other_use(path + ": is nothing for this command", command);
    if (const auto at = said.find(path); at != said.npos) said.replace(at, path.size(), "FILE");
    return said;
  }
  TestFolder folder_;
};

const std::string ort = "; it is an ONNX Runtime profile: 'takt analyze FILE' prints it",
                  trace = "; it is a trace: 'takt trace info FILE' shows what is in it",
                  training = "; it is a trace of PyTorch's profiler: 'takt diagnose FILE' explains it",
                  profile = "; it is a profile of operators: 'takt analyze FILE' prints it",
                  report = "; it is a benchmark_app report: 'takt analyze FILE' prints it",
                  result = "; it is a result of takt: 'takt report FILE -o page.html' makes a page of it";

TEST_F(GivenFile, of_json_is_told_by_its_keys) {
  const std::vector<std::pair<std::string, std::string>> all{
      {R"([{"ph": "X", "name": "model_loading_uri"}])", ort},
      {R"([{"ph": "X", "name": "session_initialization"}])", ort},
      {R"({"traceEvents": [{"name": "session_initialization"}]})", ort},
      {R"([{"ph": "X"}])", trace},
      {R"({"traceEvents": []})", trace},
      {R"({"traceEvents": [{"cat": "cpu_op", "ph": "X"}]})", training},
      {R"({"deviceProperties": [], "traceEvents": []})", training},
      {R"({"name": "model_loading"})", ""},
      {R"({"graph_exec": {}})", profile},
      {R"({"opr_footprint": {}})", profile},
      {R"({"takt": {"provenance": {}}})", profile},
      {R"({"takt": {"schema_version": 1}})", result},
      {R"({"takt":{"schema_version":1},"pipeline":{}})",
       "; it is a trace of a pipeline: 'takt pipeline analyze FILE' shows where its time went"},
      {R"({"takt": "1"})", ""},
      {R"({"schema_version": 1})", ""},
      {R"({"detailed_performance": []})", report},
      {R"({"report_type": "x"})", report},
      {R"({"cmd_options": []})", report},
      {"[1, 2]", ""},
      {"\n  {}", ""}};
  for (const auto& [text, said] : all) EXPECT_EQ(use("f.json", text), said) << text;
}

TEST_F(GivenFile, of_another_kind_is_told_by_ending_and_first_words) {
  EXPECT_EQ(use("r.csv", "layerName;execStatus\n"), report);
  EXPECT_EQ(use("r.txt", "layerName;execStatus\n"), "");
  EXPECT_EQ(use("k.csv", "Kernel_ID,x\n"), "; it is a dataset of kernels: 'takt fit FILE' trains a predictor on it");
  EXPECT_EQ(use("p.yml", "stages: []\n"), "; it is the description of a pipeline: 'takt pipeline run FILE' runs it");
  EXPECT_EQ(use("p.txt", "stages: []\n"), "");
  EXPECT_EQ(use("m.xml", "<?xml version=\"1.0\"?>", {"diagnose"}), "; it is a model: 'takt run FILE' measures it");
  EXPECT_EQ(use("m.onnx", "\x08", {"analyze"}), "; it is a model: 'takt run FILE' measures it");
}

TEST_F(GivenFile, that_the_command_reads_is_left_to_its_own_words) {
  EXPECT_EQ(use("f.json", R"({"graph_exec": {}})", {"compare"}), "");
  EXPECT_EQ(use("f.json", R"({"traceEvents": []})", {"trace", "cut"}), "");
  EXPECT_EQ(use("f.json", R"({"traceEvents": []})", {"analyze"}), trace);
  EXPECT_EQ(use("f.json", R"([{"ph": "X", "name": "session_initialization"}])", {"analyze"}), "");
  EXPECT_EQ(use("m.onnx", "\x08", {"run"}), "");
}

TEST_F(GivenFile, is_not_named_twice_and_only_where_it_was_refused) {
  const std::string path = (folder_ / "p.json").string();
  std::ofstream(path) << R"({"graph_exec": {}})";
  const std::vector<std::string> line{"predict", path};
  EXPECT_EQ(other_use(path + ": is a profile; 'takt analyze " + path + "' prints it", line), "");
  EXPECT_EQ(other_use("--predictor: is a file", line), "");
  EXPECT_EQ(other_use("none.json: no such file", std::vector<std::string>{"predict", "none.json"}), "");
}

}  // namespace
}  // namespace takt
