// Memory that is given back, and memory that the host uses too.
#include <cstring>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/ptx_bench.h"
#include "traces/ptx/global_memory.h"
#include "traces/ptx/ptx.h"

using namespace strata;
using namespace strata::traces;

TEST_CASE("Freed memory is used again, lowest first, and adjacent blocks become one") {
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

TEST_CASE("Memory that is freed and allocated again holds no earlier data") {
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
  memory.register_host(mine.data(), 400, "mine");
  const auto at = reinterpret_cast<Address>(mine.data());
  CHECK(memory.load<int>(at, 2) == std::vector<int>{5, 5});
  CHECK_THROWS_AS(memory.register_host(mine.data() + 10, 4, "again"), ConfigError);
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

// Kernels that launch kernels. Offsets, errors and orders are worked out by hand.

using ptx_bench::kernel;
using ptx_bench::launch;

namespace {

/// `child` has parameters of 1, 8, 2 and 12 bytes: at 0, 8, 16 and 20.
const char* const head = R"(
.extern .func (.param .b64 r) __cuda_syscall_cnpv2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) __cuda_syscall_cnpv2LaunchDeviceV2(.param .b64 p, .param .b64 s);
.extern .func (.param .b32 r) __cuda_syscall_cnpv2GetLastError();
.extern .func (.param .b32 r) __cuda_syscall_cnpv2StreamCreate(.param .b64 s, .param .b32 f);
.extern .func (.param .b32 r) cnpGetDeviceCount(.param .b64 c);
.extern .func cudaGraphSetConditional(.param .b64 h, .param .b32 v);
.visible .entry child(.param .u8 a, .param .u64 b, .param .u16 c, .param .align 4 .b8 d[12]) { ret; }
)";

/// %d0: the buffer of `function` for a grid of (2,3,4), blocks of (32,1,%r9 + 1) and 100 B of shared memory.
std::string buffer_of(const std::string& function) {
  return "mov.u64 %d1, " + function + R"(;
  add.u32 %r8, %r9, 1;
  { .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;
  st.param.b64 [f], %d1;
  st.param.b32 [g], 2; st.param.b32 [g+4], 3; st.param.b32 [g+8], 4;
  st.param.b32 [b], 32; st.param.b32 [b+4], 1; st.param.b32 [b+8], %r8;
  st.param.b32 [s], 100;
  call (r), __cuda_syscall_cnpv2GetParameterBufferV2, (f, g, b, s);
  ld.param.b64 %d0, [r]; }
)";
}
/// %r0: what a launch of the buffer %d0 on stream `stream` answers.
std::string launch_on(const std::string& stream) {
  return "{ .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %d0; st.param.b64 [s], " + stream +
         "; call (r), __cuda_syscall_cnpv2LaunchDeviceV2, (p, s); ld.param.b32 %r0, [r]; }\n";
}
/// %r1: the last error of the thread.
const char* const last_error =
    "{ .param .b32 r; call (r), __cuda_syscall_cnpv2GetLastError, (); ld.param.b32 %r1, [r]; }\n";
/// out[2 * t] = %r0, out[2 * t + 1] = %r1
const char* const store =
    "mul.wide.u32 %d8, %r9, 8; add.s64 %d8, %d9, %d8; st.global.v2.b32 [%d8], {%r0, %r1}; ret;";

std::vector<std::uint32_t> run(const std::string& code, unsigned threads, const PtxOptions& options) {
  return ptx_bench::run(kernel(code, "", head), threads, 2 * threads, options);
}
std::string message_of(const std::string& code, const PtxOptions& options = {}) {
  try {
    run(code, 2, options);
  } catch (const strata::TraceError& error) {
    return error.what();
  }
  return "no fault";
}

}  // namespace

TEST_CASE("ptx: a launch by a kernel has the grid, the block and the arguments that its threads gave") {
  std::vector<std::pair<PtxLaunch, bool>> seen;
  PtxOptions options;
  options.launch = [&](const PtxLaunch& child, bool tail) {
    seen.push_back({child, tail});
    return DeviceError::none;
  };
  const std::string fill = R"(
    st.u8 [%d0], 7; st.u64 [%d0+8], 0x123456789abcdef0; st.u16 [%d0+16], 0xbeef;
    st.u32 [%d0+20], 1; st.u32 [%d0+24], 2; st.u32 [%d0+28], %r9;
    mov.u64 %d2, 0; setp.eq.u32 %p1, %r9, 1; @%p1 mov.u64 %d2, 3;
  )";
  const auto out = run(buffer_of("child") + fill + launch_on("%d2") + last_error + store, 2, options);
  CHECK(out == std::vector<std::uint32_t>{0, 0, 0, 0});
  REQUIRE(seen.size() == 2);
  for (unsigned t = 0; t < 2; ++t) {
    const PtxLaunch& l = seen[t].first;
    CHECK(l.kernel == "child");
    CHECK((l.grid.x == 2 && l.grid.y == 3 && l.grid.z == 4));
    CHECK((l.block.x == 32 && l.block.y == 1 && l.block.z == t + 1));
    CHECK(l.dynamic_shared_bytes == 100);
    REQUIRE(l.arguments.size() == 4);
    CHECK(l.arguments[0].bytes == std::vector<std::uint8_t>{7});
    CHECK(l.arguments[1].bytes == std::vector<std::uint8_t>{0xf0, 0xde, 0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12});
    CHECK(l.arguments[2].bytes == std::vector<std::uint8_t>{0xef, 0xbe});
    CHECK(l.arguments[3].bytes ==
          std::vector<std::uint8_t>{1, 0, 0, 0, 2, 0, 0, 0, static_cast<std::uint8_t>(t), 0, 0, 0});
    CHECK(seen[t].second == (t == 1));  // stream 3 is cudaStreamTailLaunch
  }
}

TEST_CASE("ptx: what a launch is refused with is the last error of its thread, once") {
  PtxOptions options;
  options.launch = [](const PtxLaunch& child, bool) {
    return child.block.z == 2 ? DeviceError::invalid_configuration : DeviceError::none;
  };
  // Thread 1 launches blocks with z = 2. %r0 is 10 times what the launch answers and then the last error
  // asked again.
  const auto out =
      run(buffer_of("child") + launch_on("0") + "mul.lo.u32 %r0, %r0, 10;" + last_error +
              "mov.u32 %r2, %r1;" + last_error + "add.u32 %r0, %r0, %r1; mov.u32 %r1, %r2;" + store,
          2, options);
  CHECK(out == std::vector<std::uint32_t>{0, 0, 70, 7});
}

TEST_CASE("ptx: there is no buffer for what is no kernel, and none is launched twice") {
  PtxOptions options;
  options.launch = [](const PtxLaunch&, bool) { return DeviceError::none; };
  const auto none = run(buffer_of("0x1234") + "cvt.u32.u64 %r0, %d0;" + last_error + store, 1, options);
  CHECK(none == std::vector<std::uint32_t>{0, 1});
  const auto twice =
      run(buffer_of("child") + launch_on("0") + launch_on("0") + last_error + store, 1, options);
  CHECK(twice == std::vector<std::uint32_t>{1, 1});
}

TEST_CASE("ptx: a kernel makes streams, each another, and finds one device") {
  // A stream's handle is written to the thread's own memory, the number of devices to global memory.
  const std::string code = R"(
    .local .align 8 .b8 mine[16];
    mov.u64 %d3, mine; cvta.local.u64 %d3, %d3; add.u64 %d4, %d3, 8;
    { .param .b64 s; .param .b32 f; .param .b32 r; st.param.b64 [s], %d3; st.param.b32 [f], 1;
      call (r), __cuda_syscall_cnpv2StreamCreate, (s, f); }
    { .param .b64 s; .param .b32 f; .param .b32 r; st.param.b64 [s], %d4; st.param.b32 [f], 1;
      call (r), __cuda_syscall_cnpv2StreamCreate, (s, f); }
    ld.local.u64 %d5, [mine]; ld.local.u64 %d6, [mine+8];
    setp.ne.u64 %p1, %d5, %d6; selp.u32 %r0, 1, 0, %p1;
    { .param .b64 c; .param .b32 r; st.param.b64 [c], %d9; call (r), cnpGetDeviceCount, (c); }
    ld.global.u32 %r1, [%d9];
  )";
  CHECK(run(code + store, 1, {}) == std::vector<std::uint32_t>{1, 1});
  const std::string nowhere =
      "mov.u64 %d1, 16; { .param .b64 c; .param .b32 r; st.param.b64 [c], %d1;"
      " call (r), cnpGetDeviceCount, (c); } ret;";
  CHECK_THAT(message_of(nowhere), strata::tb::has_text("no device memory at"));
}

TEST_CASE("ptx: launches without a device, and unknown calls, are named") {
  CHECK_THAT(message_of(buffer_of("child") + launch_on("0") + store),
             strata::tb::has_text("a kernel that launches kernels: they are run by `strata app` only"));
  const std::string wrong =
      "{ .param .b32 p; .param .b64 s; .param .b32 r; st.param.b32 [p], 0; st.param.b64 [s], 0; "
      "call (r), __cuda_syscall_cnpv2LaunchDeviceV2, (p, s); }\n";
  CHECK_THAT(message_of(wrong + store),
             strata::tb::has_text("'__cuda_syscall_cnpv2LaunchDeviceV2': expected a parameter of 8 "
                                  "B, found one of 4 B"));
  const std::string few =
      "{ .param .b64 p; .param .b32 r; st.param.b64 [p], 0; call (r), __cuda_syscall_cnpv2LaunchDeviceV2, "
      "(p); }\n";
  CHECK_THAT(message_of(few + store),
             strata::tb::has_text("expected 2 parameters and 1 results, found 1 and 1"));
}

TEST_CASE("ptx: a kernel sets a condition of a graph, lane after lane") {
  const std::string code =
      "cvt.u64.u32 %d1, %r9; add.u32 %r1, %r9, 10;"
      "{ .param .b64 h; .param .b32 v; st.param.b64 [h], %d1; st.param.b32 [v], %r1;"
      " call cudaGraphSetConditional, (h, v); }";
  std::vector<std::pair<std::uint64_t, std::uint32_t>> seen;
  PtxOptions options;
  options.set_condition = [&](std::uint64_t handle, std::uint32_t value) {
    seen.push_back({handle, value});
    return handle < 2;
  };
  run(code + "ret;", 2, options);
  CHECK(seen == std::vector<std::pair<std::uint64_t, std::uint32_t>>{{0, 10}, {1, 11}});
  CHECK_THROWS_WITH(run(code + "ret;", 3, options),
                    strata::tb::has_text("no condition of a graph has the handle 2"));
  CHECK_THAT(message_of(code + "ret;"), strata::tb::has_text("graphs are run by `strata app` only"));
}
