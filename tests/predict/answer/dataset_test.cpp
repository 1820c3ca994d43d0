#include "predict/fit/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "predict/answer/predict_words.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::HasSubstr;

Dataset two_models() {
  Dataset dataset;
  for (const char* name : {"a", "b"}) {
    CollectedModel made = model(name, "family, with a comma");
    made.latency_ms = 1.25, made.noise = 0.01, made.load.run_delay = 0.5;
    made.takt_version = "0.1", made.measured_at = "2026-01-02T03:04:05Z";
    made.kernels.push_back({kernel("Conv", KernelGroup::conv, 1e6, 4096), "node \"1\"", 0.1, {}});
    made.kernels.push_back({kernel("Add", KernelGroup::other, 10, 80), "n2", 1.0 / 3, 0.02});
    dataset.models.push_back(made);
  }
  return dataset;
}

std::string refusal(const std::string& csv) {
  try {
    parse_dataset(csv, "x.csv");
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Dataset, what_is_written_is_read) {
  const std::string csv = dataset_csv(two_models());
  const Dataset read = parse_dataset(csv, "x.csv");
  EXPECT_EQ(dataset_csv(read), csv);
  ASSERT_EQ(read.models.size(), 2u);
  EXPECT_EQ(read.kernel_count(), 4u);
  EXPECT_EQ(read.models[0].family, "family, with a comma");
  EXPECT_EQ(read.models[0].kernels[0].kernel, "node \"1\"");
  EXPECT_EQ(read.models[0].kernels[1].latency_ms, 1.0 / 3);
  EXPECT_EQ(read.models[0].load.run_delay, 0.5);
  EXPECT_FALSE(read.models[0].load.steal);
  EXPECT_TRUE(std::isnan(read.models[0].kernels[0].facts[Feature::stride]));
}

TEST(Dataset, a_compressed_file_is_read_like_another) {
  const TestFolder folder;
  for (const char* name : {"a.csv", "a.csv.gz"}) {
    write_dataset(two_models(), folder.path() / name);
    EXPECT_EQ(dataset_csv(read_dataset(folder.path() / name)), dataset_csv(two_models()));
  }
  std::string bytes = read_file(folder.path() / "a.csv.gz");
  EXPECT_EQ(bytes.substr(0, 2), "\x1f\x8b");
  EXPECT_LT(bytes.size(), std::filesystem::file_size(folder.path() / "a.csv"));
  write_file_atomically(folder.path() / "cut.csv.gz", bytes.substr(0, bytes.size() / 2));
  try {
    read_dataset(folder.path() / "cut.csv.gz");
    ADD_FAILURE() << "a file that ends early was taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cut.csv.gz: "));
  }
}

TEST(Dataset, begins_with_the_columns_that_are_promised) {
  const std::string csv = dataset_csv(two_models());
  EXPECT_EQ(csv.rfind("Kernel_ID,OpType,Input_Shape,stress,stress_kind,stress_threads,others_busy,run_delay,steal,"
                      "canary,probe_wait_ratio,",
                      0),
            0u);
}

TEST(Dataset, refuses_what_is_none_with_its_line) {
  const std::string csv = dataset_csv(two_models());
  EXPECT_THAT(refusal(""), HasSubstr("x.csv: is empty"));
  EXPECT_THAT(refusal("a,b\n1,2\n"), HasSubstr("x.csv:1: column 1 is 'a' instead of 'Kernel_ID'"));
  EXPECT_THAT(refusal(csv.substr(0, csv.find('\n') + 1)), HasSubstr("has no row"));
  EXPECT_THAT(refusal(replaced(csv, ",0.1,", ",fast,")), HasSubstr("x.csv:2: 'Latency_ms' is 'fast'"));
  EXPECT_THAT(refusal(replaced(csv, ",0.1,", ",0,")), HasSubstr("'Latency_ms' is '0'; give a number above 0"));
  EXPECT_THAT(refusal(replaced(csv, ",0.1,", ",nan,")), HasSubstr("'Latency_ms' is 'nan'"));
  EXPECT_THAT(refusal(replaced(csv, ",0.1,", ",")), HasSubstr("cells"));
  EXPECT_THAT(refusal(replaced(csv, ",conv,", ",cnov,")), HasSubstr("'cnov' is not a group of kernels"));
  EXPECT_THAT(refusal(replaced(csv, ",4096,", ",-4096,")), HasSubstr("'input_bytes' is '-4096'"));
  EXPECT_THAT(refusal(replaced(csv, ",4096,", ",,")), HasSubstr("'input_bytes' is empty"));
  Dataset nameless = two_models(), uncounted = two_models();
  nameless.models[0].family = "";
  uncounted.models[0].rounds = 0;
  EXPECT_THAT(refusal(dataset_csv(nameless)), HasSubstr("'family' is empty; give a string"));
  EXPECT_THAT(refusal(dataset_csv(uncounted)), HasSubstr("'rounds' is '0'; give a whole number from 1"));
}

TEST(Dataset, a_model_beside_a_load_is_another_measurement) {
  Dataset dataset = two_models();
  CollectedModel beside = dataset.models.front();
  beside.load.asked = {"memory", 0.6, 2};
  beside.load.seen = {{"probe_wait_ratio", 0.75}, {"cpu_busy_share", 1}};
  beside.latency_ms *= 2;
  dataset.models.push_back(beside);
  const std::string csv = dataset_csv(dataset);
  const Dataset read = parse_dataset(csv, "x.csv");
  EXPECT_EQ(dataset_csv(read), csv);
  const ByLoad parts = divided_by_load(read);
  EXPECT_EQ(parts.quiet.models.size(), 2u);
  ASSERT_EQ(parts.loaded.models.size(), 1u);
  EXPECT_EQ(parts.loaded.models.front().load.asked, beside.load.asked);
  EXPECT_EQ(parts.loaded.models.front().load.seen, beside.load.seen);
  EXPECT_THAT(refusal(replaced(csv, ",0.6,memory,2,", ",0.6,weather,2,")), HasSubstr("are not a load"));
  EXPECT_THAT(refusal(replaced(csv, ",0.6,memory,2,", ",1.6,memory,2,")), HasSubstr("are not a load"));
  EXPECT_THAT(refusal(replaced(csv, ",0.6,memory,2,", ",0.6,memory,1e300,")), HasSubstr("are not a load"));
  EXPECT_THAT(refusal(replaced(csv, ",0.6,memory,2,", ",0.6,,0,")), HasSubstr("are not a load"));
  dataset.models.insert(dataset.models.begin(), beside);
  EXPECT_THAT(refusal(dataset_csv(dataset)), HasSubstr("are not adjacent"));
}

TEST(Dataset, rows_of_one_model_agree_and_stand_together) {
  const std::string csv = dataset_csv(two_models());
  EXPECT_THAT(refusal(replaced(csv, ",1.25,", ",1.26,")), HasSubstr("contradicts the previous row of model 'a.onnx'"));
  Dataset thrice = two_models();
  thrice.models.push_back(thrice.models.front());
  EXPECT_THAT(refusal(dataset_csv(thrice)), HasSubstr("the rows of model 'a.onnx' are not adjacent"));
}

}  // namespace
}  // namespace takt
