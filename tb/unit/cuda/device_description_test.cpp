#include "traces/cuda/device_description.h"

#include "tb/support/catch.h"
#include "traces/cuda/device/options.h"

using namespace strata::cuda;

TEST_CASE("A device is told through the environment and comes out as it went in") {
  AppOptions options;
  options.device.name = "A device of ours";
  options.device.memory = 12345678901;
  options.device.sms = 7;
  options.kernels = "a=b|c";
  options.first_launch = 3;
  options.ptx.hoist_loads = false;
  options.ptx.memcheck = strata::traces::PtxOptions::Memcheck::report;
  options.ptx.max_bytes = 99;
  const AppOptions back = AppOptions::from_text(options.to_text());
  CHECK(back.device.name == "A device of ours");
  CHECK(back.device.memory == 12345678901);
  CHECK(back.device.sms == 7);
  CHECK(back.kernels == "a=b|c");
  CHECK(back.first_launch == 3);
  CHECK(back.last_launch == UINT64_MAX);
  CHECK_FALSE(back.ptx.hoist_loads);
  CHECK(back.ptx.memcheck == strata::traces::PtxOptions::Memcheck::report);
  CHECK(back.ptx.max_bytes == 99);
  CHECK_FALSE(back.ptx.max_instructions);
}

// An SM of the default device: 2048 threads, 32 blocks, 65536 registers, 164 KiB of shared memory.
TEST_CASE("Blocks that an SM holds are bounded by what runs out first") {
  const DeviceDescription device;
  CHECK(device.resident_blocks(1024, 32, 0) == 2);    // threads
  CHECK(device.resident_blocks(32, 16, 0) == 32);     // blocks
  CHECK(device.resident_blocks(256, 64, 0) == 4);     // registers: 8 warps of 2048 are 16384
  CHECK(device.resident_blocks(256, 33, 0) == 6);     // 33 * 32 = 1056, 1280 in steps of 256: 10240 a block
  CHECK(device.resident_blocks(64, 16, 40960) == 4);  // 40 KiB and the system's 1 KiB: 41 of 164
  CHECK(device.resident_blocks(64, 16, 163 * 1024) == 1);
  CHECK(device.resident_blocks(64, 16, 164 * 1024) == 0);  // more than a block may have
  CHECK(device.resident_blocks(2048, 16, 0) == 0);
}

TEST_CASE("Attributes by number are those of the device, then those of all") {
  DeviceDescription device;
  device.capability = 90;
  device.sms = 132;
  int value = -1;
  REQUIRE(device.attribute(16, value));
  CHECK(value == 132);
  REQUIRE(device.attribute(75, value));
  CHECK(value == 9);
  REQUIRE(device.attribute(10, value));
  CHECK(value == 32);  // threads of a warp
  CHECK_FALSE(device.attribute(0, value));
  CHECK_FALSE(device.attribute(9999, value));
}
