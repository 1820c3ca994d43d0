#include "model/inputs/inputs.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "base/basics/error.h"
#include "base/basics/half.h"
#include "model/inputs/dimensions.h"
#include "refused.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Port port(const std::string& name, ElementType type, std::vector<std::int64_t> shape) {
  Port made{name, type, {}};
  for (std::int64_t size : shape) made.shape.push_back(size < 0 ? Dim{} : Dim{size, ""});
  return made;
}

/// Every step from what was asked for to the shapes of all inputs.
InputChoice chosen_inputs(const std::vector<Port>& ports, std::vector<InputRequest> requests,
                          std::optional<std::int64_t> batch, std::vector<std::string>& notes) {
  InputChoice choice = settle_inputs(ports, std::move(requests), batch, notes);
  const auto fixed = with_batch(ports, batch);
  const DimensionGuess guess(nullptr, fixed, {});
  choice.shapes = complete_shapes(fixed, choice.shapes, notes, [&](const Port& port, const auto& settled) {
    return guess.shape_of(port, settled, 0);
  });
  return choice;
}

class ChooseShapes : public testing::Test {
 protected:
  Shape chosen(const Port& only, const std::string& specs = "") {
    notes_.clear();
    return choose({only}, specs).shapes.at(only.name);
  }
  InputChoice choose(const std::vector<Port>& ports, const std::string& specs) {
    return chosen_inputs(ports, read_inputs(specs.empty() ? std::vector<InputSpec>{} : parse_input_specs(specs)),
                         batch_, notes_);
  }
  std::string error(const std::vector<Port>& ports, const std::string& specs) {
    try {
      choose(ports, specs);
    } catch (const Error& refused) {
      EXPECT_EQ(refused.kind(), ErrorKind::bad_input);
      return refused.what();
    }
    return "accepted";
  }
  std::optional<std::int64_t> batch_;
  std::vector<std::string> notes_;
};

TEST_F(ChooseShapes, fills_open_dimensions_with_usual_values_and_says_so) {
  EXPECT_THAT(chosen(port("x", ElementType::f32, {-1, 3, -1, -1})), ElementsAre(1, 3, 224, 224));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("input 'x'")));
  EXPECT_THAT(chosen(port("x", ElementType::i64, {-1, -1})), ElementsAre(1, 16));
  EXPECT_THAT(chosen(port("x", ElementType::f32, {2, 5})), ElementsAre(2, 5));
  EXPECT_THAT(notes_, IsEmpty()) << "nothing was chosen";
  EXPECT_THAT(chosen(port("x", ElementType::f32, {-1, 5}), "{7,5}"), ElementsAre(7, 5));
  EXPECT_THAT(notes_, IsEmpty()) << "the user chose";
}

TEST_F(ChooseShapes, lists_that_fit_as_a_shape_alone_are_read_as_one) {
  const Port image = port("image", ElementType::f32, {-1, 3, -1, -1}), ids = port("ids", ElementType::i64, {-1, -1});
  EXPECT_THAT(chosen(image, "[1,3,112,112]"), ElementsAre(1, 3, 112, 112));
  EXPECT_THAT(notes_,
              ElementsAre("--input '[1,3,112,112]': read as the shape 'image:{1,3,112,112}' of generated values"));
  EXPECT_THAT(chosen(image, "image:1,3,8,8"), ElementsAre(1, 3, 8, 8));
  EXPECT_THAT(chosen(ids, "ids:1,128"), ElementsAre(1, 2)) << "two words";
  EXPECT_THAT(notes_, testing::Contains("--input 'ids:1,128': read as values; for generated values of that shape write "
                                        "'ids:{1,128}'"));
  EXPECT_THAT(error({image}, "[1,4,8,8]"), HasSubstr("does not fit input 'image'"));
  EXPECT_THAT(error({image}, "[1,3,-8,8]"), HasSubstr("does not fit input 'image'"));
}

TEST_F(ChooseShapes, the_option_that_a_note_proposes_works_for_every_name) {
  for (const char* name : {"x", "input:0", R"(a\b)", R"(a\)", R"(a\:)", "a;b", R"(say "a")"}) {
    const Port one = port(name, ElementType::f32, {-1, 4});
    chosen(one);
    ASSERT_EQ(notes_.size(), 1u);
    const std::string note = notes_[0], mark = "--input '";
    const auto begin = note.find(mark) + mark.size();
    EXPECT_THAT(chosen(one, note.substr(begin, note.rfind('\'') - begin)), ElementsAre(1, 4)) << note;
  }
}

TEST_F(ChooseShapes, specs_that_the_model_contradicts_are_refused) {
  const Port x = port("x", ElementType::f32, {-1, 3}), y = port("y", ElementType::f32, {1});
  EXPECT_THAT(error({x}, "z:{1,3}"), HasSubstr("no input 'z'; its inputs are 'x'"));
  EXPECT_THAT(error({x}, "{1,4}"), HasSubstr("does not fit input 'x'"));
  EXPECT_THAT(error({x}, "{1,3,1}"), HasSubstr("does not fit"));
  EXPECT_THAT(error({x}, "{1,3};x:{2,3}"), HasSubstr("given twice"));
  EXPECT_THAT(error({x, y}, "{1,3}"), HasSubstr("has 2 inputs ('x', 'y')"));
}

template <typename T>
std::vector<T> values(const HostTensor& tensor) {
  std::vector<T> out(tensor.bytes.size() / sizeof(T));
  std::memcpy(out.data(), tensor.bytes.data(), tensor.bytes.size());
  return out;
}

HostTensor generated(ElementType type, Shape shape, std::uint64_t seed = 1) {
  std::vector<std::string> notes;
  return make_inputs({port("x", type, shape)}, {{{"x", shape}}, {}}, seed, notes).at(0);
}

class MakeInputs : public testing::Test {
 protected:
  HostTensor made(const Port& only, const std::string& spec) {
    notes_.clear();
    return made(std::vector<Port>{only}, spec).at(0);
  }
  std::vector<HostTensor> made(const std::vector<Port>& ports, const std::string& spec) {
    auto choice = chosen_inputs(ports, read_inputs(parse_input_specs(spec)), batch_, notes_);
    return make_inputs(ports, std::move(choice), 1, notes_);
  }
  std::string error(const Port& only, const std::string& spec) {
    try {
      made(only, spec);
    } catch (const Error& refused) {
      return refused.what();
    }
    return "accepted";
  }
  std::string file(const std::string& name, const std::string& contents) {
    return folder_.write(name, contents).string();
  }
  TestFolder folder_;
  std::optional<std::int64_t> batch_;
  std::vector<std::string> notes_;
};

TEST_F(MakeInputs, literals_become_values_of_the_type_of_the_model) {
  EXPECT_THAT(values<float>(made(port("x", ElementType::f32, {3}), "1,2.5,-3")), ElementsAre(1, 2.5, -3));
  EXPECT_THAT(values<std::int64_t>(made(port("x", ElementType::i64, {2}), "1e3,-7")), ElementsAre(1000, -7));
  EXPECT_THAT(values<float>(made(port("x", ElementType::f32, {1}), "[0.1]")), ElementsAre(0.1f));
  EXPECT_THAT(made(port("x", ElementType::string, {2}), R"(x:["a;b","c:d"])").strings, ElementsAre("a;b", "c:d"));
  EXPECT_THAT(notes_, IsEmpty());
  EXPECT_THAT(error(port("x", ElementType::i32, {1}), "[1.5]"), HasSubstr("1.5 at {0} is float64, which int32"));
  EXPECT_THAT(error(port("x", ElementType::f32, {1}), "[16777217]"), HasSubstr("16777217 at {0}"));
  EXPECT_THAT(error(port("x", ElementType::u8, {1}), "[-1]"), HasSubstr("uint8 does not hold"));
  EXPECT_THAT(error(port("x", ElementType::f32, {1}), R"(["a"])"), HasSubstr("without quotes"));
  EXPECT_THAT(error(port("x", ElementType::f8e4m3fn, {1}), "[1]"), HasSubstr("cannot be given"));
}

TEST_F(MakeInputs, another_rank_is_taken_where_nothing_is_guessed_and_said) {
  EXPECT_THAT(made(port("x", ElementType::f32, {-1, 3}), "1,2,3").shape, ElementsAre(1, 3));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("shape {3} was taken as {1,3} for input 'x'")));
  EXPECT_THAT(made(port("x", ElementType::f32, {}), "[[5]]").shape, IsEmpty());
  EXPECT_THAT(made(port("x", ElementType::f32, {4}), "[[1,2],[3,4]]").shape, ElementsAre(4));
  EXPECT_THAT(error(port("x", ElementType::f32, {1, 3}), "5"),
              HasSubstr("shape {} does not fit input 'x', which is {1,3}"));
  EXPECT_THAT(error(port("x", ElementType::f32, {1, 3}), "[[1],[2],[3]]"), HasSubstr("does not fit")) << "transposed";
  EXPECT_THAT(error(port("x", ElementType::f32, {-1, -1}), "[[[1]],[[2]]]"), HasSubstr("does not fit"));
}

TEST_F(MakeInputs, pictures_are_turned_where_the_model_wants_channels_first) {
  const std::string ppm = file("turn.ppm", std::string("P6 2 1 255\n\1\2\3\4\5\6", 17));
  EXPECT_THAT(values<float>(made(port("x", ElementType::f32, {1, 3, 1, 2}), ppm)), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("converted to {1,3,1,2}"), HasSubstr("not scaled")));
  EXPECT_THAT(values<std::uint8_t>(made(port("x", ElementType::u8, {-1, 1, 2, 3}), ppm)),
              ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(notes_, IsEmpty());
  EXPECT_THAT(values<std::uint8_t>(made(port("x", ElementType::u8, {3, 1, 2}), ppm)), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(error(port("x", ElementType::u8, {1, 3, 2, 1}), ppm), HasSubstr("does not fit"));
}

TEST_F(MakeInputs, a_json_file_feeds_the_inputs_that_it_names) {
  const std::string json = file("two.json", R"({"a":{"shape":[2],"type":"int32","raw":[1,2]},"b":[3.5]})");
  const std::vector<Port> both{port("a", ElementType::f32, {2}), port("b", ElementType::f64, {1})};
  EXPECT_THAT(values<float>(made(both, json).at(0)), ElementsAre(1, 2));
  EXPECT_THAT(values<double>(made(both, json).at(1)), ElementsAre(3.5));
  EXPECT_THAT(values<double>(made(both, "b:" + json).at(1)), ElementsAre(3.5));
  EXPECT_NE(values<float>(made(both, "b:" + json).at(0)), std::vector<float>({1, 2})) << "generated";
  const auto refusal = [&](const std::string& spec) { return refused_with([&] { made(both, spec); }); };
  EXPECT_EQ(refusal("c:" + json), json + ": has no input 'c'; use one of the names in the file");
  EXPECT_EQ(refusal(json + ";a:{2}"), "--input: 'a' is given twice");
  EXPECT_THAT(error(port("c", ElementType::f32, {2}), json), HasSubstr("no input 'a'"));
  EXPECT_THAT(error(port("c", ElementType::f32, {2}), "/nowhere/x.npy"), HasSubstr("/nowhere/x.npy"));
}

TEST_F(MakeInputs, the_batch_is_forced_and_given_rows_are_repeated) {
  batch_ = 4;
  EXPECT_THAT(values<float>(made(port("x", ElementType::f32, {-1, 2}), "[[1,2],[3,4]]")),
              ElementsAre(1, 2, 3, 4, 1, 2, 3, 4));
  EXPECT_THAT(made(port("x", ElementType::f32, {-1, 2}), "{1,2}").shape, ElementsAre(4, 2));
  EXPECT_THAT(made(port("x", ElementType::string, {-1}), R"(["a"])").strings, ElementsAre("a", "a", "a", "a"));
  EXPECT_THAT(made(port("x", ElementType::f32, {}), "5").shape, IsEmpty()) << "a scalar has no batch";
  EXPECT_THAT(error(port("x", ElementType::f32, {-1}), "1,2,3"), HasSubstr("3 rows cannot be repeated"));
  EXPECT_THAT(error(port("x", ElementType::f32, {1, 2}), "[[1,2]]"), HasSubstr("fixes its first dimension to 1"));
  EXPECT_THAT(chosen_inputs({port("x", ElementType::f32, {-1, 3})}, {}, batch_, notes_).shapes.at("x"),
              ElementsAre(4, 3));
  const auto fixed_to = [](const std::string& name, const std::string& shape, int size) {
    return "--batch-size 4: input '" + name + "' is " + shape + " in the model, which fixes its first dimension to " +
           std::to_string(size) + "; leave the option out, or export the model with an open batch";
  };
  EXPECT_EQ(refused_with([&] {
              chosen_inputs({port("x", ElementType::f32, {2, 3})}, {}, batch_, notes_);
            }),
            fixed_to("x", "{2,3}", 2));
  const std::vector<Port> shared{{"x", ElementType::f32, {{{}, "n"}, {3, ""}}},
                                 {"m", ElementType::f32, {{1, ""}, {{}, "n"}}}};
  EXPECT_EQ(refused_with([&] { with_batch(shared, 4); }), fixed_to("m", to_string(shared[1].shape), 1));
  EXPECT_EQ(to_string(with_batch({shared[0], {"m", ElementType::f32, {{{}, "n"}, {{}, "n"}}}}, 4)[1].shape), "{4,4}");
  batch_ = std::int64_t{1} << 40;
  EXPECT_THAT(error(port("x", ElementType::f32, {-1}), "[1]"), HasSubstr("8 GiB"));
}

TEST(TakingTurns, folders_are_read_file_by_file_in_the_order_of_their_names) {
  const TestFolder folder;
  for (const char* name : {"two/a.json", "other/1.json"}) folder.write(name, "[1]");
  for (const char* name : {"two/b.json", "other/2.json"}) folder.write(name, "[2]");
  for (const char* name : {"three/a.json", "three/b.json", "three/c.json"}) folder.write(name, "[3]");
  for (const char* name : {"none/notes.txt", "two/notes.txt"}) folder.write(name, "none");
  folder.write("one.json", "[9]");
  const auto specs = [&](const std::string& x, const std::string& y) {
    return parse_input_specs("x:" + (folder / x).string() + ";y:" + (folder / y).string());
  };
  EXPECT_EQ(count_turns({}), 1u);
  EXPECT_EQ(count_turns(specs("one.json", "one.json")), 1u);
  EXPECT_EQ(count_turns(specs("one.json", "two")), 2u);
  EXPECT_EQ(count_turns(specs("two", "other")), 2u);
  EXPECT_EQ(refused_with([&] { count_turns(specs("two", "three")); }),
            "--input 'y:" + (folder / "three").string() +
                "': this folder has 3 files and the one before 2; folders of values need the same number of files");
  EXPECT_EQ(refused_with([&] { count_turns(specs("two", "none")); }),
            "--input 'y:" + (folder / "none").string() + "': " + (folder / "none").string() +
                " has no file of values (.npy, .json, .ppm, .pgm)");
  for (const std::size_t turn : {0u, 1u, 2u, 3u}) {
    const auto requests = read_inputs(specs("two", "other"), turn);
    ASSERT_EQ(requests.size(), 2u);
    for (const InputRequest& request : requests) {
      const HostTensor& tensor = std::get<GivenInput>(request.content).value.tensor;
      EXPECT_EQ(static_cast<int>(tensor.bytes.data()[0]), static_cast<int>(turn % 2 + 1))
          << request.name << " " << turn;
    }
    EXPECT_EQ(requests[0].name, "x");
    EXPECT_EQ(requests[1].name, "y");
  }
}

TEST(MakeSeveral, each_input_has_what_was_given_for_it_or_values_of_its_own) {
  const std::vector<Port> ports{port("a", ElementType::f32, {2}), port("b", ElementType::f32, {64}),
                                port("c", ElementType::f32, {64})};
  std::vector<std::string> notes;
  const auto choice = chosen_inputs(ports, read_inputs(parse_input_specs("a:[7,8]")), std::nullopt, notes);
  const auto tensors = make_inputs(ports, choice, 1, notes);
  ASSERT_EQ(tensors.size(), 3u);
  EXPECT_EQ(tensors[0].name, "a");
  EXPECT_EQ(tensors[2].name, "c");
  EXPECT_NE(tensors[1].bytes, tensors[2].bytes) << "another seed each";
  EXPECT_EQ(make_inputs(ports, choice, 1, notes)[2].bytes, tensors[2].bytes);
}

TEST(GenerateInputs, same_seed_same_values) {
  const auto once = generated(ElementType::f32, {1000}), again = generated(ElementType::f32, {1000});
  EXPECT_EQ(once.bytes, again.bytes);
  EXPECT_NE(once.bytes, generated(ElementType::f32, {1000}, 2).bytes);
}

TEST(GenerateInputs, floats_fill_the_range_from_minus_one_to_one) {
  double least = 1, most = -1, sum = 0;
  for (const float value : values<float>(generated(ElementType::f32, {100, 100}))) {
    ASSERT_GE(value, -1);
    ASSERT_LT(value, 1);
    least = std::min<double>(least, value), most = std::max<double>(most, value), sum += value;
  }
  EXPECT_LT(least, -0.99);
  EXPECT_GT(most, 0.99);
  EXPECT_NEAR(sum / 10000, 0, 0.03);
}

TEST(GenerateInputs, half_precision_holds_the_same_values_rounded) {
  const auto exact = values<float>(generated(ElementType::f32, {100000}));
  const auto halves = values<std::uint16_t>(generated(ElementType::f16, {100000}));
  const auto brains = values<std::uint16_t>(generated(ElementType::bf16, {100000}));
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double half = from_half(halves[i]);
    ASSERT_NEAR(half, exact[i], std::max(std::abs(exact[i]) * 0x1p-11, 0x1p-14)) << exact[i];
    ASSERT_GE(half, -1);
    ASSERT_LT(half, 1) << exact[i];
    const std::uint32_t widened = static_cast<std::uint32_t>(brains[i]) << 16;
    float brain = 0;
    std::memcpy(&brain, &widened, sizeof brain);
    ASSERT_NEAR(brain, exact[i], std::abs(exact[i]) * 0x1p-7);
  }
}

TEST(GenerateInputs, integers_are_safe_as_indices_and_masks) {
  for (const auto value : values<std::int64_t>(generated(ElementType::i64, {100})))
    EXPECT_TRUE(value == 0 || value == 1);
  for (const auto value : values<std::uint8_t>(generated(ElementType::boolean, {100}))) EXPECT_LE(value, 1);
  EXPECT_EQ(generated(ElementType::i32, {3, 5}).bytes.size(), 60u);
}

TEST(GenerateInputs, strings_scalars_and_nothing_at_all) {
  EXPECT_THAT(generated(ElementType::string, {2}).strings, ElementsAre("a", "a"));
  EXPECT_EQ(generated(ElementType::f64, {}).bytes.size(), 8u);
  EXPECT_THAT(generated(ElementType::f32, {0, 3}).bytes, IsEmpty());
}

TEST(GenerateInputs, what_would_not_fit_into_memory_is_refused_before_it_is_asked_for) {
  for (const auto& [type, elements] :
       {std::pair(ElementType::f32, std::int64_t{1} << 40), std::pair(ElementType::u8, (std::int64_t{8} << 30) + 1),
        std::pair(ElementType::string, std::int64_t{1} << 30)})
    try {
      generated(type, {elements});
      ADD_FAILURE() << "accepted " << elements;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      EXPECT_THAT(error.what(), HasSubstr("8 GiB"));
    }
  EXPECT_EQ(
      refused_with([] {
        generated(ElementType::f32, {1LL << 62, 1LL << 62});
      }),
      "input 'x' of shape {4611686018427387904,4611686018427387904} would take more than 8 GiB; give a smaller one "
      "with --input");
  const auto fits = [](ElementType type, std::int64_t elements) {
    try {
      check_sizes({port("x", type, {elements})}, {{"x", {elements}}});
    } catch (const Error&) {
      return false;
    }
    return true;
  };
  constexpr std::int64_t gib = std::int64_t{1} << 30, of_string = sizeof(std::string);
  for (const auto& [type, most] :
       {std::pair(ElementType::u8, 8 * gib), std::pair(ElementType::f32, 2 * gib), std::pair(ElementType::f64, gib),
        std::pair(ElementType::string, 8 * gib / of_string)}) {
    EXPECT_TRUE(fits(type, most)) << type_name(type);
    EXPECT_FALSE(fits(type, most + 1)) << type_name(type);
  }
}

}  // namespace
}  // namespace takt
