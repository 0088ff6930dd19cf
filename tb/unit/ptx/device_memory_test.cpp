// Memory that is given back, and memory that the host uses too.
#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "traces/ptx/global_memory.h"
#include "traces/ptx/ptx.h"

using namespace strata;
using namespace strata::traces;

TEST_CASE("Memory that was given back is used again, lowest first, and neighbours become one") {
  GlobalMemory memory;
  const Address a = memory.allocate(1000), b = memory.allocate(1000), c = memory.allocate(1000);
  const Address end = memory.allocate(1);
  CHECK(b - a == 1536);  // 1000 + 512 unmapped bytes, in steps of 512
  REQUIRE(memory.free(a));
  CHECK_FALSE(memory.free(a));
  CHECK_FALSE(memory.free(b + 1));
  CHECK(memory.find(a) == nullptr);
  CHECK(memory.allocate(1000) == a);
  REQUIRE(memory.free(b));
  REQUIRE(memory.free(a));
  REQUIRE(memory.free(c));
  CHECK(memory.allocate(3 * 1536 - 512) == a);  // what the three took together
  CHECK(memory.allocate(1) > end);
  CHECK(memory.allocated_bytes() == 3 * 1536 - 512 + 2);
}

TEST_CASE("What was given back and taken anew holds nothing that anybody wrote") {
  GlobalMemory memory;
  const Address a = memory.upload(std::vector<int>{1, 2, 3, 4});
  memory.free(a);
  REQUIRE(memory.allocate(16) == a);
  CHECK(memory.find(a)->unset_bytes == 16);
  CHECK(memory.load<int>(a, 4) == std::vector<int>{0, 0, 0, 0});
}

TEST_CASE("The host uses its memory at the device's address") {
  GlobalMemory memory;
  memory.reserve_addresses();
  const Address before = memory.allocate(100);
  const Address a = memory.allocate_of_host(5000);
  CHECK(a % 4096 == 0);
  CHECK(a > before);
  auto* const host = reinterpret_cast<int*>(a);
  host[1249] = 42;
  CHECK(memory.load<int>(a + 4996, 1) == std::vector<int>{42});
  CHECK(memory.find(a)->unset_bytes == 0);
  memory.store(a, std::vector<int>{7});
  CHECK(host[0] == 7);
  REQUIRE(memory.free(a));
  CHECK(memory.allocate_of_host(4096) == a);
  CHECK(host[0] == 0);
}

TEST_CASE("Memory that the host lends keeps its place and its contents") {
  GlobalMemory memory;
  std::vector<int> mine(100, 5);
  memory.lend(mine.data(), 400, "mine");
  const auto at = reinterpret_cast<Address>(mine.data());
  CHECK(memory.load<int>(at, 2) == std::vector<int>{5, 5});
  CHECK_THROWS_AS(memory.lend(mine.data() + 10, 4, "again"), ConfigError);
  REQUIRE(memory.free(at));
  CHECK(mine[99] == 5);
  CHECK(memory.find(at) == nullptr);
}

TEST_CASE("Texts behind each other are one module: what one declares another defines") {
  const std::string one = R"(
.version 7.0
.target sm_80
.address_size 64
.extern .global .align 4 .u32 table[];
.extern .func (.param .b32 r) next (.param .b32 v);
.visible .entry k(.param .u64 y) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  mov.u64 %rd1, table;
  ld.global.u32 %r1, [%rd1+4];
  {
  .param .b32 v;
  .param .b32 r;
  st.param.b32 [v], %r1;
  call (r), next, (v);
  ld.param.b32 %r2, [r];
  }
  ld.param.u64 %rd2, [y];
  st.global.u32 [%rd2], %r2;
  ret;
}
)";
  const std::string two = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 table[2] = {10, 20};
.visible .func (.param .b32 r) next (.param .b32 v) {
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [v];
  add.u32 %r2, %r1, 1;
  st.param.b32 [r], %r2;
  ret;
}
)";
  const auto program = PtxProgram::open(one + two, "linked.ptx");
  CHECK(program->kernels().empty());
  CHECK(program->prepare("k").parameters.size() == 1);
  REQUIRE(program->variables().size() == 1);
  CHECK(program->variables()[0].bytes == 8);
  GlobalMemory memory;
  const Address y = memory.allocate(4);
  execute({program, "k", {1}, {1}, 0, {y}}, memory);
  CHECK(memory.load<int>(y, 1) == std::vector<int>{21});  // table[1] + 1
  const auto half = PtxProgram::open(one, "half.ptx");
  CHECK_THROWS_WITH(half->prepare("k"), tb::has_text("function 'next' has no body"));
}
