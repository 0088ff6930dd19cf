#include "traces/ptx/tensor_map.h"

#include <cstring>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/ptx_bench.h"

using namespace strata;
using namespace strata::traces;
using ptx_bench::kernel;
using ptx_bench::launch;

namespace {

using Element = TensorMap::Element;
using Swizzle = TensorMap::Swizzle;
constexpr std::uint64_t tensor_at = 1024, result_at = 4096, all_bytes = 8192;

/// 16 x 8 words, row after row; boxes of 8 x 4.
TensorMap words() {
  TensorMap map;
  map.element = Element::u32;
  map.rank = 2;
  map.dims = {16, 8, 1, 1, 1};
  map.strides = {64, 0, 0, 0};
  map.box = {8, 4, 1, 1, 1};
  return map;
}

/// `%d9` is the map, the tensor lies 1024 B behind it and holds 0, 1, 2 ... Thread t stores word t of the box
/// in shared memory `s`.
struct Bench {
  GlobalMemory memory;
  Address at = 0;
  explicit Bench(TensorMap map) {
    at = memory.upload(std::vector<std::uint8_t>(all_bytes), "all");
    map.address = at + tensor_at;
    memory.write(at, &map, sizeof map);
    std::vector<std::uint32_t> values(256);
    for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i;
    memory.write(at + tensor_at, values.data(), values.size() * 4);
  }
  void run(const std::string& code, unsigned blocks = 1, std::optional<Dim3> cluster = {}) {
    PtxLaunch l =
        launch(kernel(code, ".shared .align 1024 .b8 s[2048];\n.shared .align 8 .b64 b;\n"), 32, at, blocks);
    l.cluster = cluster;
    execute(l, memory);
  }
  std::vector<std::uint32_t> result(std::size_t count = 32) const {
    return memory.load<std::uint32_t>(at + result_at, count);
  }
  std::uint32_t tensor(std::size_t word) const {
    return memory.load<std::uint32_t>(at + tensor_at, 256)[word];
  }
};

/// Thread 0 copies a box of `bytes` by `copy` (map %d9, place %r2, barrier %r1); all wait, and each stores
/// the word of its own number.
std::string loads(const std::string& copy, unsigned bytes = 128) {
  return "mov.u32 %r1, b;\nmov.u32 %r2, s;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 bra wait;\n"
         "mbarrier.init.shared::cta.b64 [%r1], 1;\nmbarrier.arrive.expect_tx.shared::cta.b64 %d1, [%r1], " +
         std::to_string(bytes) + ";\n" + copy +
         "wait:\nbar.warp.sync 0xffffffff;\n"
         "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], 0;\n@!%p2 bra again;\n"
         "mad.lo.u32 %r3, %r9, 4, %r2;\nld.shared.u32 %r4, [%r3];\n"
         "mul.wide.u32 %d8, %r9, 4;\nadd.s64 %d8, %d9, %d8;\nst.global.b32 [%d8+4096], %r4;\nret;";
}
std::string tile(int x, int y) {
  return "mov.s32 %r5, " + std::to_string(x) + ";\nmov.s32 %r6, " + std::to_string(y) +
         ";\ncp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], "
         "[%d9, {%r5, %r6}], [%r1];\n";
}
std::string fault_of(Bench& bench, const std::string& code) {
  try {
    bench.run(code);
  } catch (const TraceError& error) {
    return error.what();
  }
  return {};
}
constexpr std::uint32_t value(std::uint32_t x, std::uint32_t y) {
  return y * 16 + x;
}

}  // namespace

TEST_CASE("ptx tensor: a tile, at a place that is no multiple of anything") {
  Bench bench(words());
  bench.run(loads(tile(5, 3)));
  const auto r = bench.result();
  for (std::uint32_t y = 0; y < 4; ++y)
    for (std::uint32_t x = 0; x < 8; ++x) CHECK(r[y * 8 + x] == value(5 + x, 3 + y));
}

TEST_CASE("ptx tensor: what lies outside is 0, or NaN") {
  // Columns 12 to 19 and rows -2 to 1: columns 16 to 19 and rows -2 and -1 are outside.
  Bench zero(words());
  zero.run(loads(tile(12, -2)));
  auto r = zero.result();
  CHECK(r[0] == 0);
  CHECK(r[16] == value(12, 0));
  CHECK(r[16 + 3] == value(15, 0));
  CHECK(r[16 + 4] == 0);
  CHECK(r[24] == value(12, 1));
  TensorMap real = words();
  real.element = Element::f32;
  real.fill_nan = 1;
  Bench nan(real);
  nan.run(loads(tile(-3, 6)));
  r = nan.result();
  CHECK(r[2] == 0x7fffffff);
  CHECK(r[3] == value(0, 6));
  CHECK(r[16] == 0x7fffffff);
}

TEST_CASE("ptx tensor: steps between the elements") {
  // Every second row of 4: two rows of 8 words.
  TensorMap map = words();
  map.steps = {1, 2, 1, 1, 1};
  Bench bench(map);
  bench.run(loads(tile(0, 1), 64));
  const auto r = bench.result();
  CHECK(r[0] == value(0, 1));
  CHECK(r[8] == value(0, 3));
  CHECK(r[16] == 0);
}

TEST_CASE("ptx tensor: sectors of 16 B change places") {
  // Rows of 32 B: span 32 moves sector c of row y to c ^ (y / 4 % 2); rows 0 to 3 stay.
  TensorMap map = words();
  map.box = {8, 8, 1, 1, 1};
  map.swizzle = Swizzle::span_32;
  Bench bench(map);
  bench.run(loads(tile(0, 0), 256));
  CHECK(bench.result()[8] == value(0, 1));
  // In all: word 4 * sector of rows 4 to 7 holds the other half. Threads see rows 0 to 3, so copy rows 4 to 7
  // to where they see them.
  Bench late(map);
  std::string code = loads(tile(0, 0), 256);
  code.replace(code.find("[%r3];"), 6, "[%r3+128];");
  late.run(code);
  CHECK(late.result()[0] == value(4, 4));
  CHECK(late.result()[4] == value(0, 4));
  CHECK(late.result()[31] == value(3, 7));
  // 128 B: sector c of row y of 128 B goes to c ^ y. Here 16 words of 64 B, so span 64: c ^ (y / 2 % 4).
  map.box = {16, 8, 1, 1, 1};
  map.swizzle = Swizzle::span_64;
  Bench wide(map);
  code = loads(tile(0, 0), 512);
  code.replace(code.find("[%r3];"), 6, "[%r3+128];");  // rows 2 and 3
  wide.run(code);
  CHECK(wide.result()[0] == value(4, 2));
  CHECK(wide.result()[4] == value(0, 2));
  CHECK(wide.result()[8] == value(12, 2));
  CHECK(wide.result()[16] == value(4, 3));
}

TEST_CASE("ptx tensor: a tile goes back, without what is outside") {
  // Words 1000 + thread to columns 12 to 19 of rows 6 to 9: 4 columns and 2 rows are inside.
  Bench bench(words());
  bench.run(
      "mov.u32 %r2, s;\nmad.lo.u32 %r3, %r9, 4, %r2;\nadd.u32 %r4, %r9, 1000;\nst.shared.u32 [%r3], %r4;\n"
      "bar.sync 0;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 exit;\nmov.u32 %r5, 12;\nmov.u32 %r6, 6;\n"
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%d9, {%r5, %r6}], [%r2];\n"
      "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\nret;");
  CHECK(bench.tensor(6 * 16 + 11) == value(11, 6));
  CHECK(bench.tensor(6 * 16 + 12) == 1000);
  CHECK(bench.tensor(6 * 16 + 15) == 1003);
  CHECK(bench.tensor(7 * 16 + 12) == 1008);
  CHECK(bench.tensor(8 * 16 + 12) == 8 * 16 + 12);  // behind the tensor
}

TEST_CASE("ptx tensor: reductions into a tensor, and of plain bytes") {
  Bench bench(words());
  bench.run(
      "mov.u32 %r2, s;\nmad.lo.u32 %r3, %r9, 4, %r2;\nmov.u32 %r4, 20;\nst.shared.u32 [%r3], %r4;\n"
      "bar.sync 0;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 exit;\nmov.u32 %r5, 0;\n"
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile.bulk_group [%d9, {%r5, %r5}], [%r2];\n"
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%d9, {%r5, %r5}], [%r2];\n"
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d9+4096], [%r2], 64;\n"
      "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nret;");
  CHECK(bench.tensor(3) == 40);            // max(3, 20) + 20
  CHECK(bench.tensor(16 + 5) == 21 + 20);  // 21 is more than 20
  CHECK(bench.tensor(8) == 8);
  CHECK(bench.result()[15] == 20);
  CHECK(bench.result()[16] == 0);
}

TEST_CASE("ptx tensor: columns of pixels") {
  // 4 channels of 4 x 8 pixels (W, H) of one image, from pixel (-1, 0) on in the box from -1 to W - 1 - 1:
  // with the offset (1, 0), W is 0, 1, 2, 3, then H goes on. 6 pixels of 4 words.
  TensorMap map = words();
  map.rank = 4;
  map.dims = {4, 4, 8, 1, 1};
  map.strides = {16, 64, 512, 0};
  map.im2col = 1;
  map.channels = 4;
  map.pixels = 6;
  map.lower = {-1, 0, 0};
  map.upper = {-1, 0, 0};
  Bench bench(map);
  bench.run(
      loads("mov.s32 %r5, 0;\nmov.s32 %r6, -1;\nmov.u16 %h1, 1;\nmov.u16 %h2, 0;\n"
            "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r2], "
            "[%d9, {%r5, %r6, %r5, %r5}], [%r1], {%h1, %h2};\n",
            96));
  const auto r = bench.result();
  CHECK(r[0] == 0);
  CHECK(r[4] == 4);
  CHECK(r[12] == 12);
  CHECK(r[16] == 16);  // the next row
  CHECK(r[23] == 23);
  // Without offsets the first pixel of each row is outside.
  Bench none(map);
  none.run(
      loads("mov.s32 %r5, 0;\nmov.s32 %r6, -1;\nmov.u16 %h1, 0;\n"
            "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r2], "
            "[%d9, {%r5, %r6, %r5, %r5}], [%r1], {%h1, %h1};\n",
            96));
  CHECK(none.result()[3] == 0);
  CHECK(none.result()[4] == 0);
  CHECK(none.result()[5] == 1);
  CHECK(none.result()[16] == 0);  // pixel (-1, 1)
  CHECK(none.result()[20] == 16);
}

TEST_CASE("ptx tensor: multicast to the thread blocks of a cluster") {
  // Only rank 1 copies; both have expected 128 bytes. Block b stores behind 256 * b.
  Bench bench(words());
  bench.run(
      "mov.u32 %r1, b;\nmov.u32 %r2, s;\nmov.u32 %r10, %cluster_ctarank;\nsetp.ne.u32 %p1, %r9, 0;\n"
      "@%p1 bra ready;\nmbarrier.init.shared::cta.b64 [%r1], 1;\n"
      "mbarrier.arrive.expect_tx.shared::cta.b64 %d1, [%r1], 128;\nready:\n"
      "barrier.cluster.arrive;\nbarrier.cluster.wait;\nsetp.ne.u32 %p3, %r10, 1;\n@%p1 bra wait;\n@%p3 bra "
      "wait;\nmov.u32 %r5, 8;\nmov.u16 %h1, 3;\n"
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%r2], [%d9, {%r5, %r9}], [%r1], %h1;\nwait:\nbar.warp.sync 0xffffffff;\n"
      "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], 0;\n@!%p2 bra again;\n"
      "mad.lo.u32 %r3, %r9, 4, %r2;\nld.shared.u32 %r4, [%r3];\nmad.lo.u32 %r5, %r10, 64, %r9;\n"
      "mul.wide.u32 %d8, %r5, 4;\nadd.s64 %d8, %d9, %d8;\nst.global.b32 [%d8+4096], %r4;\n"
      "barrier.cluster.arrive;\nbarrier.cluster.wait;\nret;",
      2, Dim3{2, 1, 1});
  const auto r = bench.result(128);
  CHECK(r[9] == value(9, 1));
  CHECK(r[64 + 9] == value(9, 1));
  CHECK(r[64 + 31] == value(15, 3));
}

TEST_CASE("ptx tensor: the records hold the lines of the rows, and nothing that is outside") {
  // Columns 4 to 11 of rows 6 to 9: two rows of 32 B are inside, 4 pieces of 16 B in one record.
  Bench bench(words());
  PtxWorkload w;
  const std::string text =
      kernel(loads(tile(4, 6)), ".shared .align 1024 .b8 s[2048];\n.shared .align 8 .b64 b;\n");
  PtxSource source([&] {
    Bench made(words());
    PtxWorkload work;
    work.launches.push_back(launch(text, 32, made.at));
    work.memory = std::move(made.memory);
    return work;
  });
  const auto cta = source.fetch(0, 0);
  int copies = 0;
  for (const WarpInstruction& i : cta->instructions) {
    if (i.op != OpClass::load || i.width != 16) continue;
    ++copies;
    CHECK(i.active_lanes() == 4);
    CHECK(i.bypass_l1);
    REQUIRE(i.address_kind == AddressKind::list);
    CHECK(cta->addresses[i.address] == bench.at + tensor_at + 6 * 64 + 16);
    CHECK(cta->addresses[i.address + 2] == bench.at + tensor_at + 7 * 64 + 16);
  }
  CHECK(copies == 1);
}

TEST_CASE("ptx tensor: prefetches move lines, and nothing else") {
  const std::string text = kernel(
      "setp.ne.u32 %p1, %r9, 0;\n@%p1 exit;\nmov.u32 %r5, 0;\n"
      "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%d9, {%r5, %r5}];\n"
      "cp.async.bulk.prefetch.L2.global [%d9+1024], 512;\nret;",
      "");
  PtxSource source([&] {
    Bench made(words());
    PtxWorkload work;
    work.launches.push_back(launch(text, 32, made.at));
    work.memory = std::move(made.memory);
    return work;
  });
  std::vector<int> lanes;
  const auto cta = source.fetch(0, 0);
  for (const WarpInstruction& i : cta->instructions)
    if (i.op == OpClass::load) lanes.push_back(i.active_lanes());
  CHECK(lanes == std::vector<int>{8, 32});  // 4 rows of 32 B; 512 B
}

TEST_CASE("ptx tensor: a kernel changes a map in shared memory and copies it out") {
  // Rows of 128 B instead of 64, from word 4 on: the box at (0, 1) begins with word 4 + 32.
  Bench bench(words());
  bench.run(
      "mov.u32 %r2, s;\nmad.lo.u32 %r3, %r9, 4, %r2;\nmul.wide.u32 %d1, %r9, 4;\nadd.s64 %d1, %d9, %d1;\n"
      "ld.global.u32 %r4, [%d1];\nst.shared.u32 [%r3], %r4;\nbar.warp.sync 0xffffffff;\n"
      "setp.ne.u32 %p1, %r9, 0;\nadd.s64 %d2, %d9, 1040;\nmov.u64 %d3, 128;\nmov.u32 %r5, 4;\n"
      "@!%p1 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r2], %d2;\n"
      "@!%p1 tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r2], 0, %d3;\n"
      "@!%p1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r2], 1, %r5;\n"
      "@!%p1 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r2], 3;\n"
      "bar.warp.sync 0xffffffff;\n"
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d9], [%r2], "
      "128;\n" +
      loads(tile(0, 1)));
  const auto r = bench.result();
  CHECK(r[0] == 4 + 32);
  CHECK(r[16 + 7] == 4 + 96 + 7);
  CHECK(r[24] == 0);  // row 4 of 4
}

TEST_CASE("ptx tensor: faults") {
  Bench bench(words());
  const std::string three =
      "mov.s32 %r5, 0;\ncp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%r2], [%d9, {%r5, %r5, %r5}], [%r1];\n";
  CHECK(fault_of(bench, loads(three)).find("the tensor map has other dimensions than the instruction: 2") !=
        std::string::npos);
  std::string other = loads(tile(0, 0));
  other.replace(other.find("[%d9, {"), 7, "[%d9+128, {");
  CHECK(fault_of(bench, other).find("no tensor map that cuTensorMapEncode* has made") != std::string::npos);
  other = loads(tile(0, 0));
  other.replace(other.find("[%r2], [%d9"), 5, "[%r2+16]");
  CHECK(fault_of(bench, other).find("expected a place in shared memory at a multiple of 128") !=
        std::string::npos);
  other = loads(tile(0, 0));
  other.replace(other.find("{%r5, %r6}"), 10, "{%r5}");
  CHECK(fault_of(bench, other).find("expected 2 coordinates behind the tensor map, found 1") !=
        std::string::npos);
}

TEST_CASE("ptx tensor: what an encoded map must be like") {
  TensorMap map = words();
  map.address = 0x7f0000000000;
  CHECK(tensor_map_fault(map).empty());
  const auto wrong = [&](auto change) {
    TensorMap other = map;
    change(other);
    return tensor_map_fault(other);
  };
  CHECK(wrong([](TensorMap& m) { m.rank = 6; }) == "expected a tensorRank of 1 to 5, found 6");
  CHECK(wrong([](TensorMap& m) { m.address += 8; }) == "expected a globalAddress at a multiple of 16");
  CHECK(wrong([](TensorMap& m) { m.strides[0] = 72; }) ==
        "expected a multiple of 16 B below 2^40 as globalStrides[0], found 72");
  CHECK(wrong([](TensorMap& m) { m.box[1] = 257; }) == "expected 1 to 256 elements as boxDim[1], found 257");
  CHECK(wrong([](TensorMap& m) { m.box[0] = 6; }) ==
        "expected an inner dimension of the box of a multiple of 16 B, found 24 B");
  CHECK(wrong([](TensorMap& m) { m.steps[1] = 9; }) == "expected 1 to 8 as elementStrides[1], found 9");
  CHECK(wrong([](TensorMap& m) {
          m.swizzle = Swizzle::span_32;
          m.box[0] = 16;
        }) == "expected an inner dimension of the box of at most the 32 B of its swizzle, found 64 B");
  CHECK(wrong([](TensorMap& m) { m.interleave = 1; }) ==
        "interleaved layouts need a tensorRank of 3 to 5, found 2");
  CHECK(wrong([](TensorMap& m) { m.fill_nan = 1; }) == "NaN fills tensors of floating-point types only");
}
