// wgmma: rounding of eight bits, limits, bits, sparse matrices, several groups, records, and what is refused.
#include <random>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/group_bench.h"
#include "tb/support/ptx_bench.h"

using namespace strata::traces;
using namespace strata::traces::group_bench;

namespace {

/// a at 0, b at the next multiple of 1024, both by k.
Run product(const Matrix& a, const Matrix& b, const std::string& body, unsigned d) {
  Run r;
  const Image of_a(a, {}, 0);
  r.image = of_a.bytes;
  const Image of_b(b, {}, static_cast<unsigned>(r.image.size()));
  r.image.insert(r.image.end(), of_b.bytes.begin(), of_b.bytes.end());
  r.x = of_a.descriptor();
  r.y = of_b.descriptor();
  r.d = d;
  r.body = body;
  r.in.resize(std::size_t{128} * (d + 1));
  return r;
}

/// d[0][0] of e4m3 or e5m2, of a[0][...] times b[...][0] plus c.
std::uint32_t of_quarters(const std::string& types, std::vector<std::uint32_t> a,
                          std::vector<std::uint32_t> b, std::uint32_t c) {
  Matrix of_a(64, 32, 8), of_b(8, 32, 8);
  for (unsigned k = 0; k < a.size(); ++k) {
    of_a(0, k) = a[k];
    of_b(0, k) = b[k];
  }
  const unsigned d = types[1] == 'f' && types[2] == '1' ? 2 : 4;
  Run r = product(
      of_a, of_b,
      "wgmma.mma_async.sync.aligned.m64n8k32" + types + " " + list("d", d) + ", %x, %y, %p, 1, 1;", d);
  r.in[0] = c;
  return run(r)[0];
}

std::string message_of(const std::string& body, unsigned threads = 128) {
  Run r = product(Matrix(64, 16, 16), Matrix(8, 16, 16), body, 4);
  r.a = 4;
  r.threads = threads;
  r.in.resize(std::size_t{threads} * 9);
  try {
    run(r);
  } catch (const strata::TraceError& error) {
    return error.what();
  }
  return "no fault";
}
const std::string sums4 = "{%d0, %d1, %d2, %d3}";

}  // namespace

TEST_CASE("ptx wgmma: sums of eight bits keep 13 bits below the largest term") {
  const std::string wide = ".f32.e5m2.e5m2";
  // 1 = 3c, 2^-13 = 08, 2^-14 = 04, -1 = bc.
  CHECK(of_quarters(wide, {0x3c, 0x3c}, {0x3c, 0x08}, 0) == 0x3f800400);              // 1 + 2^-13
  CHECK(of_quarters(wide, {0x3c, 0x3c}, {0x3c, 0x04}, 0) == 0x3f800000);              // 2^-14 is cut off
  CHECK(of_quarters(wide, {0x3c, 0x3c, 0x3c}, {0x3c, 0x04, 0x04}, 0) == 0x3f800000);  // each by itself
  CHECK(of_quarters(wide, {0x3c, 0x3c}, {0x3c, 0xbc}, 0x38800000) == 0);              // so is c, 2^-14
  // 1 + 1 + 2^-13: what does not fit into 13 bits behind 2 is cut off.
  CHECK(of_quarters(wide, {0x3c, 0x3c, 0x3c}, {0x3c, 0x3c, 0x08}, 0) == 0x40000000);
  CHECK(of_quarters(wide, {0x7c, 0x3c}, {0x3c, 0x3c}, 0) == 0x7f800000);
  CHECK((of_quarters(".f32.e4m3.e4m3", {0x7f}, {0x38}, 0) & 0x7fffffff) > 0x7f800000);
  // f16: 448 * 448 is no f16 any more; 1 + 2^-9 * 0.5 = 1 + 2^-10 is one.
  CHECK(of_quarters(".f16.e4m3.e4m3", {0x7e}, {0x7e}, 0) == 0x7c00);
  CHECK(of_quarters(".f16.e4m3.e4m3", {0x38, 0x01}, {0x38, 0x30}, 0) == 0x3c01);
}

TEST_CASE("ptx wgmma: whole numbers wrap, or are clamped, and bits are counted where both are set") {
  Matrix a(64, 32, 8), b(8, 32, 8);
  a(0, 0) = a(1, 0) = 100;
  b(0, 0) = 1;
  const std::string shape = "wgmma.mma_async.sync.aligned.m64n8k32";
  for (const bool limited : {false, true}) {
    Run r = product(a, b, shape + ".s32.s8.s8" + (limited ? ".satfinite " : " ") + sums4 + ", %x, %y, 1;", 4);
    r.in[0] = 0x7fffffff;
    r.in[4 * 5] = 7;  // lane 4 holds row 1
    const auto d = run(r);
    CHECK(d[0] == (limited ? 0x7fffffff : 0x80000063));
    CHECK(d[4 * 4] == 107);
  }
  std::mt19937 random(5);
  for (const bool in_registers : {false, true}) {
    Matrix x(64, 256, 1), y(16, 256, 1);
    for (Matrix* m : {&x, &y})
      for (std::uint32_t& e : m->at) e = random() & 1;
    Run r = product(x, y,
                    "wgmma.mma_async.sync.aligned.m64n16k256.s32.b1.b1.and.popc " + list("d", 8) +
                        (in_registers ? ", {%a0, %a1, %a2, %a3}" : ", %x") + ", %y, %p;",
                    8);
    r.a = in_registers ? 4 : 0;
    r.in.clear();
    for (unsigned t = 0; t < 128; ++t) {
      r.in.insert(r.in.end(), 8, 1000);
      const auto of_thread = fragment(x, t);
      if (in_registers) r.in.insert(r.in.end(), of_thread.begin(), of_thread.end());
      r.in.push_back(0);
    }
    const auto d = run(r);
    unsigned wrong = 0;
    for (unsigned t = 0; t < 128; ++t)
      for (unsigned i = 0; i < 8; ++i) {
        std::uint32_t sum = 1000;
        for (unsigned k = 0; k < 256; ++k) sum += x(sum_row(t, i), k) & y(sum_column(t, i), k);
        wrong += d[t * 8 + i] != sum ? 1 : 0;
      }
    CHECK(wrong == 0);
  }
}

namespace {

/// A sparse a of small whole numbers: what is stored, all of it, and the metadata by thread.
struct Sparse {
  Matrix stored, full;
  std::vector<std::uint32_t> metadata;
  Sparse(unsigned k, unsigned bits, unsigned selector, const std::vector<std::uint32_t>& numbers,
         std::mt19937& random)
      : stored(64, k / 2, bits), full(64, k, bits), metadata(128) {
    for (std::uint32_t& word : metadata) word = random();  // of lanes that are not asked: anything
    const unsigned width = bits == 32 ? 2 : 4;
    static const unsigned pairs[] = {0x4, 0x8, 0x9, 0xc, 0xd, 0xe, 0x1};
    for (unsigned row = 0; row < 64; ++row)
      for (unsigned sector = 0; sector < k / width; ++sector) {
        const unsigned pair = bits == 32 ? (random() % 2 != 0 ? 0xe : 0x4) : pairs[random() % 7];
        for (unsigned i = 0; i < width / 2; ++i) {
          const unsigned place = bits == 32 ? (pair == 0xe ? 1 : 0) : pair >> 2 * i & 3;
          full(row, sector * width + place) = stored(row, sector * (width / 2) + i) = numbers[random() % 5];
        }
        // 16 bits and more: a lane has four sectors of row r, above them of row r + 8; else eight of one row.
        const unsigned quad = row / 16 * 32 + row % 8 * 4;
        const unsigned lane =
            bits >= 16 ? quad + 2 * selector + sector / 4 : quad + sector / 8 * 2 + row % 16 / 8;
        const unsigned shift = bits >= 16 ? row % 16 / 8 * 16 + sector % 4 * 4 : sector % 8 * 4;
        metadata[lane] = (metadata[lane] & ~(15U << shift)) | pair << shift;
      }
  }
};

}  // namespace

TEST_CASE("ptx wgmma: a sparse a gives what all of it gives") {
  struct Kind {
    const char* types;
    unsigned bits, n;
    std::vector<std::uint32_t> numbers;
    const char* flags;
  };
  const std::vector<Kind> kinds = {
      {".f32.f16.f16", 16, 40, {0, 0x3c00, 0x4000, 0xbc00, 0xc000}, ", 1, 1, 0, 0"},
      {".f32.bf16.bf16", 16, 8, {0, 0x3f80, 0x4000, 0xbf80, 0xc000}, ", 1, 1, 0, 0"},
      {".f32.tf32.tf32", 32, 16, {0, 0x3f800000, 0x40000000, 0xbf800000, 0}, ", 1, 1"},
      {".f32.e4m3.e4m3", 8, 16, {0, 0x38, 0x40, 0xb8, 0xc0}, ", 1, 1"},
      {".s32.s8.s8", 8, 48, {0, 1, 2, 0xff, 0x80}, ""}};
  std::mt19937 random(20271124);
  for (const Kind& kind : kinds)
    for (unsigned selector = 0; selector < (kind.bits == 8 ? 1U : 2U); ++selector)
      for (const bool in_registers : {false, true}) {
        INFO(kind.types << " selector " << selector << " registers " << in_registers);
        const unsigned k = 512 / kind.bits, d = kind.n / 2;
        // In registers, a has no flag that says whether it is transposed.
        const std::string flags = kind.bits == 16 && in_registers ? ", 1, 1, 0" : kind.flags;
        const Sparse a(k, kind.bits, selector, kind.numbers, random);
        Matrix b(kind.n, k, kind.bits);
        for (std::uint32_t& e : b.at) e = kind.numbers[random() % 5];
        const auto shape = [&](unsigned columns) {
          return ".sync.aligned.m64n" + std::to_string(kind.n) + "k" + std::to_string(columns) + kind.types +
                 " " + list("d", d);
        };
        Run r = product(a.stored, b,
                        "wgmma.mma_async.sp" + shape(k) + (in_registers ? ", " + list("a", 4) : ", %x") +
                            ", %y, %m, " + std::to_string(selector) + ", %p" + flags + ";",
                        d);
        r.a = in_registers ? 4 : 0;
        r.in.clear();
        for (unsigned t = 0; t < 128; ++t) {
          r.in.insert(r.in.end(), d, 0);
          const auto of_thread = fragment(a.stored, t);
          if (in_registers) r.in.insert(r.in.end(), of_thread.begin(), of_thread.end());
          r.in.push_back(a.metadata[t]);
        }
        // All of a: two dense products, whose second begins 32 bytes behind the first.
        const std::string dense = "wgmma.mma_async" + shape(k / 2) + ", %x, %y, %p" + kind.flags + ";\n";
        const Run all = product(a.full, b, dense + "add.u64 %x, %x, 2;\nadd.u64 %y, %y, 2;\n" + dense, d);
        CHECK(run(r) == run(all));
      }
}

TEST_CASE("ptx wgmma: two groups that go at their own pace") {
  // Group 1 takes the second 64 rows of a. It adds the product four times, group 0 once.
  std::mt19937 random(3);
  Matrix a(128, 32, 8), b(8, 32, 8);
  for (Matrix* m : {&a, &b})
    for (std::uint32_t& e : m->at) e = random() & 255;
  const std::string one = "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 " + sums4 + ", %x, %y, 1;\n";
  Run r = product(a, b,
                  "setp.lt.u32 %p, %t0, 128;\n@%p bra first;\nadd.u64 %x, %x, 512;\n" + one + one + one +
                      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;\nfirst:\n" + one,
                  4);
  r.threads = 256;
  r.in.resize(std::size_t{256} * 5);
  const auto d = run(r);
  unsigned wrong = 0;
  for (unsigned t = 0; t < 256; ++t)
    for (unsigned i = 0; i < 4; ++i) {
      std::uint32_t sum = 0;
      for (unsigned k = 0; k < 32; ++k) sum += a(t / 128 * 64 + sum_row(t, i), k) * b(sum_column(t, i), k);
      wrong += d[t * 4 + i] != sum * (t < 128 ? 1 : 4) ? 1 : 0;
    }
  CHECK(wrong == 0);
}

TEST_CASE("ptx wgmma: each warp records its rows of a and a quarter of b") {
  PtxSource source([] {
    // 128 columns of b are 256 pieces of 16 bytes: each warp reads 64 of them, its rows of a are 32.
    const Run r = product(
        Matrix(64, 16, 16), Matrix(128, 16, 16),
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " + list("d", 64) + ", %x, %y, %p, 1, 1, 0, 0;",
        64);
    PtxWorkload w;
    w.launches.push_back(launch(r, w.memory));
    return w;
  });
  const auto cta = source.fetch(0, 0);
  unsigned of_a = 0, of_b = 0, products = 0;
  for (const strata::WarpInstruction& i : cta->instructions) {
    products += i.units[strata::counted_place(strata::Unit::tensor)];
    CHECK(i.sync == strata::Sync::none);  // groups of products are not those of copies
    if (i.op != strata::OpClass::shared_load) continue;
    CHECK(i.width == 16);
    CHECK(i.active_mask == 0xffffffff);
    const bool list = i.address_kind == strata::AddressKind::list;
    const strata::Address first = list ? cta->addresses[i.address] : i.address;
    ++(first < 8192 ? of_a : of_b);  // b lies behind 64 lines of 128 bytes
  }
  CHECK(of_a == 4);
  CHECK(of_b == 8);
  CHECK(products == 4 * 16);  // 16 by 128 by 16 elements are 16 instructions of a warp
}

TEST_CASE("ptx wgmma: what does not exist is named") {
  using strata::tb::has_text;
  const std::string begin = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " + sums4;
  CHECK(message_of(begin + ", %x, %y, %p, 1, 1, 0, 0;") == "no fault");
  CHECK_THAT(message_of(begin + ", %x, %y, %p, 2, 1, 0, 0;"), has_text("expected 1 or -1 as imm-scale-a"));
  CHECK_THAT(message_of(begin + ", %x, %y, %p, 1, 0, 0, 0;"), has_text("expected 1 or -1 as imm-scale-b"));
  CHECK_THAT(message_of(begin + ", %x, %y, %p, 1, 1, 2, 0;"), has_text("expected 0 or 1 as imm-trans-a"));
  CHECK_THAT(message_of(begin + ", %x, %y, %p, 1, 1, 0;"), has_text("expected at least 8 operands"));
  CHECK_THAT(message_of(begin + ", {%a0, %a1, %a2, %a3}, %y, %p, 1, 1, 0, 0;"),
             has_text("expected 7 operands"));
  CHECK_THAT(message_of(begin + ", %x, %y, !%p, 1, 1, 0, 0;"), has_text("expected scale-d as it is"));
  CHECK_THAT(message_of(begin + ", {%a0, %a1}, %y, %p, 1, 1, 0;"), has_text("another number of registers"));
  for (const char* wrong :
       {"m64n12k16.f32.f16.f16", "m32n8k16.f32.f16.f16", "m64n8k8.f32.f16.f16", "m64n8k16.f32.f16.bf16",
        "m64n8k16.f16.bf16.bf16", "m64n8k8.f16.tf32.tf32", "m64n40k32.s32.s8.s8", "m64n8k32.f32.e4m3.s8",
        "m64n8k256.s32.b1.b1.xor.popc", "m64n8k4.f64.f64.f64", "m64n8k64.s32.s4.s4"})
    CHECK_THAT(
        message_of("wgmma.mma_async.sync.aligned." + std::string(wrong) + " " + sums4 + ", %x, %y, %p;"),
        has_text("unsupported instruction 'wgmma.mma_async.sync.aligned." + std::string(wrong)));
  CHECK_THAT(message_of("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 " + sums4 +
                        ", %x, %y, %m, 2, %p, 1, 1, 0, 0;"),
             has_text("expected a sparsity selector of 0 or 1"));
  CHECK_THAT(message_of("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 " + sums4 +
                        ", %x, %y, %m, 0, %p, 1, 1, 0, 0;"),
             has_text("no places of two elements of four in the metadata: 0"));
  CHECK_THAT(
      message_of("or.b64 %y, %y, 0xc000000000000000;\nmov.b32 %m, 0x44444444;\nwgmma.mma_async.sp.sync."
                 "aligned.m64n8k32.f32.f16.f16 " +
                 sums4 + ", %x, %y, %m, 0, %p, 1, 1, 0, 0;"),
      has_text("more than a swizzle of 32 bytes holds"));
  CHECK_THAT(message_of("wgmma.wait_group.sync.aligned %t0;"), has_text("expected a number of groups"));
  CHECK_THAT(message_of("wgmma.launch;"), has_text("unsupported instruction 'wgmma.launch'"));
  // A group has four warps, of 32 lanes that all come, with one descriptor.
  CHECK_THAT(message_of(begin + ", %x, %y, %p, 1, 1, 0, 0;", 64),
             has_text("a thread block of whole groups of four warps must execute it, found threads: 64"));
  CHECK_THAT(message_of("setp.ne.u32 %q, %t0, 5;\n@%q " + begin + ", %x, %y, %p, 1, 1, 0, 0;"),
             has_text("all 32 lanes of a warp must execute it together"));
  CHECK_THAT(
      message_of("cvt.u64.u32 %l6, %t0;\nadd.u64 %x, %x, %l6;\n" + begin + ", %x, %y, %p, 1, 1, 0, 0;"),
      has_text("another matrix descriptor than lane 0 has"));
  CHECK_THAT(message_of("setp.ne.u32 %q, %t0, 5;\n" + begin + ", %x, %y, %q, 1, 1, 0, 0;"),
             has_text("scale-d is not the same in all lanes"));
  CHECK_THAT(message_of("or.b64 %x, %x, 0x3000;\n" + begin + ", %x, %y, %p, 1, 1, 0, 0;"),
             has_text("past the end of shared memory at"));
}

TEST_CASE("ptx wgmma: what kernels of groups say besides has no effect on values, or elects a lane") {
  using strata::tb::has_text;
  const auto r = ptx_bench::per_thread(
      "setmaxnreg.dec.sync.aligned.u32 40;\nsetmaxnreg.inc.sync.aligned.u32 232;\ngriddepcontrol.wait;\n"
      "griddepcontrol.launch_dependents;\nfence.proxy.async.shared::cta;\nfence.mbarrier_init.release."
      "cluster;\n"
      "elect.sync %r1|%p1, 0xffffffff;\nselp.b32 %r2, 100, 0, %p1;\nadd.u32 %r0, %r1, %r2;");
  for (unsigned lane = 0; lane < 32; ++lane) CHECK(r[lane] == (lane == 0 ? 100 : 0));
  for (const char* count : {"20", "44", "264", "%r1"})
    CHECK_THROWS_WITH(ptx_bench::word("setmaxnreg.inc.sync.aligned.u32 " + std::string(count) + ";"),
                      has_text("expected a multiple of 8 registers from 24 to 256"));
}
