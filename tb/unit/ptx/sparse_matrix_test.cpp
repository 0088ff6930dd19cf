// mma.sp: each row against the dense product, whose bits are those of an H100 (gpu_cases_test.cpp), of the
// elements that are stored and the rows of b that they meet.
#include <random>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "traces/ptx/ptx.h"

using namespace strata::traces;

namespace {

struct Form {
  std::string types;   ///< behind the layouts
  unsigned bits, k;    ///< of an element; columns of a
  unsigned selectors;  ///< that the shape has
  std::uint32_t mild;  ///< bits that keep random operands finite; ~0 of whole numbers
  unsigned sums = 4;   ///< registers of c and d
  unsigned a_words() const { return 16 * k / 2 * bits / 1024; }
  unsigned b_words() const { return 8 * k * bits / 1024; }
  unsigned sector() const { return bits == 32 ? 2 : bits == 4 ? 8 : 4; }
};

std::string list(unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned n = 0; n < count; ++n) text += (n == 0 ? "%r" : ", %r") + std::to_string(first + n);
  return text + "}";
}

/// Each lane loads `words` registers from %r8, executes `body` and stores %r0 and those behind it.
std::vector<std::uint32_t> run(const std::string& body, const std::vector<std::uint32_t>& in, unsigned words,
                               unsigned results, unsigned warps) {
  std::string text =
      ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 from, .param .u64 to) {\n"
      ".reg .b32 %r<64>;\n.reg .b64 %d<5>;\nld.param.u64 %d0, [from];\nld.param.u64 %d1, [to];\n"
      "mov.u32 %r60, %ctaid.x;\nmov.u32 %r61, %tid.x;\nmad.lo.u32 %r60, %r60, 32, %r61;\nmul.wide.u32 %d2, "
      "%r60, " +
      std::to_string(4 * words) + ";\nadd.u64 %d0, %d0, %d2;\nmul.wide.u32 %d3, %r60, " +
      std::to_string(4 * results) + ";\nadd.u64 %d1, %d1, %d3;\n";
  for (unsigned n = 0; n < words; ++n)
    text += "ld.global.b32 %r" + std::to_string(8 + n) + ", [%d0+" + std::to_string(4 * n) + "];\n";
  text += body + "\n";
  for (unsigned n = 0; n < results; ++n)
    text += "st.global.b32 [%d1+" + std::to_string(4 * n) + "], %r" + std::to_string(n) + ";\n";
  text += "ret;\n}\n";
  GlobalMemory memory;
  PtxLaunch launch;
  launch.program = PtxProgram::parse(text, "sparse.ptx");
  launch.kernel = "k";
  launch.grid.x = warps;
  launch.block.x = 32;
  const std::size_t count = std::size_t{32} * warps * results;
  const strata::Address from = memory.upload(in, "in"),
                        to = memory.upload(std::vector<std::uint32_t>(count), "out");
  launch.arguments = {from, to};
  execute(launch, memory);
  return memory.load<std::uint32_t>(to, count);
}

std::string sparse_body(const Form& f, const std::string& variant, unsigned selector) {
  const unsigned a = f.a_words(), b = f.b_words();
  return "mma." + variant + ".sync.aligned.m16n8k" + std::to_string(f.k) + ".row.col" + f.types + " " +
         list(0, f.sums) + ", " + list(8, a) + ", " + list(8 + a, b) + ", " + list(8 + a + b, f.sums) +
         ", %r" + std::to_string(8 + a + b + f.sums) + ", " + std::to_string(selector) + ";";
}
std::string dense_body(const Form& f) {
  const unsigned a = f.a_words(), b = f.b_words() / 2;
  return "mma.sync.aligned.m16n8k" + std::to_string(f.k / 2) + ".row.col" + f.types + " " + list(0, f.sums) +
         ", " + list(8, a) + ", " + list(8 + a, b) + ", " + list(8 + a + b, f.sums) + ";";
}

/// Element k of column n of b: where it lies in the registers of lanes.
struct Place {
  unsigned lane, word, shift;
};
Place place_in_b(const Form& f, unsigned k, unsigned n) {
  const unsigned each = 32 / f.bits;
  return {n * 4 + k / each % 4, k / (4 * each), k % each * f.bits};
}

/// Operands of a warp and what the metadata of its rows says.
struct Operands {
  std::vector<std::uint32_t> a, b, c, metadata;  ///< by lane, then by register
  std::vector<std::vector<unsigned>> columns;    ///< by row: where each stored element stands
};

Operands draw(const Form& f, bool ordered, bool mild, unsigned selector, std::mt19937_64& random) {
  Operands o;
  const auto words = [&](unsigned count, std::uint32_t keep) {
    std::vector<std::uint32_t> all(32 * count);
    for (std::uint32_t& word : all) word = static_cast<std::uint32_t>(random()) & (mild ? keep : ~0U);
    return all;
  };
  o.a = words(f.a_words(), f.mild);
  o.b = words(f.b_words(), f.mild);
  o.c = words(f.sums, f.mild == ~0U ? ~0U : f.sums == 2 ? f.mild : 0xbfffffff);
  o.metadata = words(1, ~0U);  // of lanes that are not asked: anything
  const std::vector<unsigned> pairs = f.bits == 32 ? std::vector<unsigned>{0x4, 0xe}
                                      : ordered    ? std::vector<unsigned>{0x4, 0x8, 0x9, 0xc, 0xd, 0xe}
                                                   : std::vector<unsigned>{0x4, 0x1, 0x9, 0x3, 0x7, 0xe, 0xb};
  const unsigned sectors = f.k / f.sector();
  o.columns.resize(16);
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned sector = 0; sector < sectors; ++sector) {
      const unsigned pair = pairs[random() % pairs.size()], low = pair & 3, high = pair >> 2;
      const unsigned first = sector * f.sector();
      if (f.bits == 32)
        o.columns[row].push_back(first + (pair == 0xe ? 1 : 0));
      else if (f.bits == 4)
        for (const unsigned at : {2 * low, 2 * low + 1, 2 * high, 2 * high + 1})
          o.columns[row].push_back(first + at);
      else
        for (const unsigned at : {low, high}) o.columns[row].push_back(first + at);
      // Elements of 16 bits and more: four sectors of rows r and r + 8 in a lane. Others: eight of one row.
      const unsigned group = row % 8 * 4;
      const unsigned lane = f.bits >= 16 ? group + selector * (sectors / 4) + sector / 4
                                         : group + selector * (sectors / 4) + sector / 8 * 2 + row / 8;
      const unsigned shift = f.bits >= 16 ? row / 8 * 16 + sector % 4 * 4 : sector % 8 * 4;
      o.metadata[lane] = (o.metadata[lane] & ~(15U << shift)) | pair << shift;
    }
  return o;
}

void append(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from, unsigned lane) {
  const std::size_t each = from.size() / 32;
  to.insert(to.end(), from.begin() + static_cast<long>(lane * each),
            from.begin() + static_cast<long>((lane + 1) * each));
}

/// d, where warp r of a dense product counts for row r.
std::vector<std::uint32_t> reference(const Form& f, const Operands& o) {
  std::vector<std::uint32_t> in;
  const unsigned b_words = f.b_words() / 2;
  const std::uint32_t mask = f.bits == 32 ? ~0U : (1U << f.bits) - 1;
  for (unsigned row = 0; row < 16; ++row) {
    std::vector<std::uint32_t> met(32 * b_words);
    for (unsigned n = 0; n < 8; ++n)
      for (unsigned k = 0; k < f.k / 2; ++k) {
        const Place from = place_in_b(f, o.columns[row][k], n), to = place_in_b(f, k, n);
        const std::uint32_t element = o.b[from.lane * f.b_words() + from.word] >> from.shift & mask;
        met[to.lane * b_words + to.word] |= element << to.shift;
      }
    for (unsigned lane = 0; lane < 32; ++lane) {
      append(in, o.a, lane);
      append(in, met, lane);
      append(in, o.c, lane);
    }
  }
  const auto all = run(dense_body(f), in, f.a_words() + b_words + f.sums, f.sums, 16);
  std::vector<std::uint32_t> d(32 * f.sums);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned n = 0; n < f.sums; ++n) {
      const unsigned row = lane / 4 + n / (f.sums / 2) * 8;
      d[lane * f.sums + n] = all[(row * 32 + lane) * f.sums + n];
    }
  return d;
}

std::vector<std::uint32_t> sparse(const Form& f, const Operands& o, const std::string& variant,
                                  unsigned selector) {
  std::vector<std::uint32_t> in;
  for (unsigned lane = 0; lane < 32; ++lane)
    for (const auto* part : {&o.a, &o.b, &o.c, &o.metadata}) append(in, *part, lane);
  return run(sparse_body(f, variant, selector), in, f.a_words() + f.b_words() + f.sums + 1, f.sums, 1);
}

void check(const std::vector<Form>& forms) {
  std::mt19937_64 random(20261123);
  for (const Form& f : forms)
    for (const bool ordered : {false, true})
      for (unsigned selector = 0; selector < f.selectors; ++selector)
        for (const bool mild : {true, false}) {
          const std::string variant = ordered ? "sp::ordered_metadata" : "sp";
          INFO(variant << " k" << f.k << f.types << " selector " << selector << (mild ? " mild" : ""));
          const Operands o = draw(f, ordered, mild, selector, random);
          CHECK(sparse(f, o, variant, selector) == reference(f, o));
        }
}

std::string message_of(const Form& f, const std::string& variant, unsigned selector, std::uint32_t metadata) {
  Operands o;
  o.a.resize(32 * f.a_words());
  o.b.resize(32 * f.b_words());
  o.c.resize(32 * f.sums);
  o.metadata.assign(32, metadata);
  try {
    sparse(f, o, variant, selector);
  } catch (const strata::TraceError& error) {
    return error.what();
  }
  return "no fault";
}

const Form halves32{".f32.f16.f16.f32", 16, 32, 2, 0xbfffbfff};
const Form bytes64{".s32.s8.s8.s32", 8, 64, 1, ~0U};

}  // namespace

TEST_CASE("ptx sparse: products of f16, bf16 and tf32 are the dense ones of what is stored") {
  std::vector<Form> forms;
  for (const unsigned k : {16U, 32U}) {
    forms.push_back({".f32.f16.f16.f32", 16, k, 64 / k, 0xbfffbfff});
    forms.push_back({".f16.f16.f16.f16", 16, k, 64 / k, 0xbfffbfff, 2});
    forms.push_back({".f32.bf16.bf16.f32", 16, k, 64 / k, 0xbfffbfff});
    forms.push_back({".f32.tf32.tf32.f32", 32, k / 2, 64 / k, 0xbfffffff});
  }
  check(forms);
}

TEST_CASE("ptx sparse: products of eight and four bits are the dense ones of what is stored") {
  std::vector<Form> forms;
  for (const char* a : {"e4m3", "e5m2"})
    for (const char* b : {"e4m3", "e5m2"})
      forms.push_back({".f32." + std::string(a) + "." + b + ".f32", 8, 64, 1, 0xbfbfbfbf});
  for (const unsigned bits : {8U, 4U})
    for (const char* a : {"s", "u"})
      for (const char* b : {"s", "u"})
        for (const char* limit : {"", ".satfinite"})
          for (const unsigned selectors : {2U, 1U})
            forms.push_back({limit + std::string(".s32.") + a + std::to_string(bits) + "." + b +
                                 std::to_string(bits) + ".s32",
                             bits, 512 / bits / selectors, selectors, ~0U});
  check(forms);
}

TEST_CASE("ptx sparse: a product worked out by hand") {
  // a[i][2 j] = i + j + 1 and 0 between, b[k][n] = n - k: d[i][n] = sum over j of (i + j + 1) (n - 2 j).
  // Bytes, so that all is exact: elements 0 and 2 of four are 0b1000.
  Operands o;
  o.c.resize(32 * 4);
  o.metadata.assign(32, 0x88888888);
  o.a.resize(32 * 4);
  o.b.resize(32 * 4);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned r = 0; r < 4; ++r)
      for (unsigned byte = 0; byte < 4; ++byte) {
        const unsigned i = lane / 4 + r % 2 * 8, j = lane % 4 * 4 + byte + r / 2 * 16;
        o.a[lane * 4 + r] |= (i + j + 1) << 8 * byte;
        const unsigned n = lane / 4, k = lane % 4 * 4 + byte + r * 16;
        o.b[lane * 4 + r] |= ((n - k) & 0xff) << 8 * byte;
      }
  const auto d = sparse(bytes64, o, "sp::ordered_metadata", 0);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned r = 0; r < 4; ++r) {
      const int i = static_cast<int>(lane / 4 + r / 2 * 8), n = static_cast<int>(lane % 4 * 2 + r % 2);
      int sum = 0;
      for (int j = 0; j < 32; ++j) sum += (i + j + 1) * (n - 2 * j);
      CHECK(static_cast<int>(d[lane * 4 + r]) == sum);
    }
}

TEST_CASE("ptx sparse: what is undefined is a fault, where checks are strict") {
  CHECK_THAT(message_of(halves32, "sp", 0, 0x44444445),
             strata::tb::has_text("no places of two elements of four in the metadata: 5"));
  CHECK(message_of(halves32, "sp", 0, 0x11111111) == "no fault");
  CHECK_THAT(message_of(halves32, "sp::ordered_metadata", 1, 0x11111111),
             strata::tb::has_text("no places of two elements of four in the metadata: 1"));
  const Form wide{".f32.tf32.tf32.f32", 32, 16, 2, 0xbfffffff};
  CHECK_THAT(message_of(wide, "sp", 0, 0x88888888),
             strata::tb::has_text("no places of two elements of four in the metadata: 8"));
}

TEST_CASE("ptx sparse: selectors and shapes that do not exist are named") {
  CHECK_THAT(message_of(halves32, "sp", 2, 0x44444444),
             strata::tb::has_text("expected a sparsity selector of 0 to 1"));
  CHECK_THAT(message_of(bytes64, "sp", 1, 0x44444444),
             strata::tb::has_text("expected a sparsity selector of 0"));
  CHECK_THAT(message_of({".f32.e4m3.e4m3.f32", 8, 32, 2, ~0U}, "sp", 0, 0x44444444),
             strata::tb::has_text("unsupported instruction 'mma.sp.sync.aligned.m16n8k32"));
  CHECK_THAT(message_of({".kind::f8f6f4.f32.e4m3.e4m3.f32", 8, 64, 1, ~0U}, "sp", 0, 0x44444444),
             strata::tb::has_text("unsupported instruction 'mma.sp.sync.aligned.m16n8k64"));
}
