#include "model/onnxruntime/device_times.h"

#include <gtest/gtest.h>

#include <chrono>

namespace takt::ort {
namespace {

using namespace std::chrono_literals;
using Kind = GpuActivity::Kind;

GpuActivity kernel(Nanoseconds launched, Nanoseconds start, Nanoseconds end) {
  return {Kind::kernel, start, end, launched};
}

Nanoseconds sum(const DeviceTimes& times) {
  Nanoseconds all{};
  for (const DeviceTime& one : times.spans) all += one.own;
  for (const DeviceTime& one : times.others) all += one.own;
  return all;
}

TEST(DeviceTimes, an_operator_has_what_was_asked_for_while_the_host_was_in_it) {
  // The host is through with both before the GPU begins.
  const auto times = device_times({{0us, 10us}, {10us, 30us}},
                                  {kernel(5us, 100us, 150us), kernel(12us, 150us, 160us), kernel(29us, 165us, 170us)});
  EXPECT_EQ(times.spans[0].own, 50us);
  EXPECT_EQ(times.spans[0].start, 100us);
  EXPECT_EQ(times.spans[1].own, 15us);
  EXPECT_EQ(times.spans[1].start, 150us);
  EXPECT_EQ(sum(times), 65us) << "and not the 5 us in which it waited";
}

TEST(DeviceTimes, what_overlaps_counts_once_for_what_began_first) {
  const auto times = device_times({{0us, 10us}, {10us, 20us}},
                                  {kernel(5us, 100us, 150us), kernel(12us, 120us, 140us), kernel(13us, 130us, 170us)});
  EXPECT_EQ(times.spans[0].own, 50us);
  EXPECT_EQ(times.spans[1].own, 20us);
  EXPECT_EQ(sum(times), 70us);
}

TEST(DeviceTimes, an_operator_that_the_host_computes_has_the_hosts_time) {
  const auto times = device_times({{0us, 10us}, {10us, 50us, std::nullopt, true}, {50us, 60us}},
                                  {kernel(5us, 8us, 20us), kernel(55us, 58us, 90us)});
  EXPECT_EQ(times.spans[0].own, 12us);
  EXPECT_EQ(times.spans[1].own, 30us) << "the GPU still worked for the operator before";
  EXPECT_EQ(times.spans[1].start, 10us);
  EXPECT_EQ(times.spans[2].own, 32us);
}

TEST(DeviceTimes, bodies_are_asked_before_what_is_around_them) {
  // An If with two operators within; the If itself asks for a copy behind them.
  const auto times =
      device_times({{0us, 100us, std::nullopt, true}, {10us, 20us, 0}, {20us, 30us, 0}, {100us, 110us}},
                   {kernel(12us, 40us, 50us), kernel(29us, 50us, 70us), {Kind::copy_on_gpu, 70us, 75us, 90us}});
  EXPECT_EQ(times.spans[0].own, 5us) << "not the host's time: what is within has it";
  EXPECT_EQ(times.spans[1].own, 10us);
  EXPECT_EQ(times.spans[2].own, 20us);
  EXPECT_FALSE(times.spans[3].any);
  EXPECT_EQ(times.spans[3].start, 100us);
}

TEST(DeviceTimes, what_no_operator_asked_for_is_apart) {
  const auto times = device_times({{10us, 20us}}, {{Kind::copy_to_gpu, 6us, 9us, 5us},
                                                   kernel(15us, 30us, 40us),
                                                   {Kind::copy_to_host, 41us, 45us, 20us},
                                                   {Kind::fill, 50us, 51us, std::nullopt}});
  const auto of = [&](Kind kind) { return times.others[static_cast<std::size_t>(kind)]; };
  EXPECT_EQ(of(Kind::copy_to_gpu).own, 3us);
  EXPECT_EQ(of(Kind::copy_to_gpu).start, 6us);
  EXPECT_EQ(of(Kind::copy_to_host).own, 4us) << "asked for in the moment in which the operator ended";
  EXPECT_EQ(of(Kind::fill).own, 1us) << "nobody knows who asked";
  EXPECT_FALSE(of(Kind::kernel).any);
  EXPECT_EQ(times.spans[0].own, 10us);
}

}  // namespace
}  // namespace takt::ort
