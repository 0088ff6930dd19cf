// Products of floats of 8, 6 and 4 bits (.kind), against sums written out here, which are exact.
#include <cmath>
#include <random>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/group_bench.h"

using namespace strata::traces;
using namespace strata::traces::group_bench;

namespace {

/// A format of a sign, exponent and fraction, that stands `shift` bits above the lowest of a byte.
struct Small {
  const char* name;
  unsigned exponent, fraction, bias, shift;
  double value(std::uint32_t bits) const {
    const std::uint32_t number = bits >> shift;
    const unsigned f = number & ((1U << fraction) - 1), e = number >> fraction & ((1U << exponent) - 1);
    const double size =
        e == 0 ? std::ldexp(f, 1 - static_cast<int>(bias + fraction))
               : std::ldexp(f + (1U << fraction), static_cast<int>(e) - static_cast<int>(bias + fraction));
    return (number >> (exponent + fraction) & 1) != 0 ? -size : size;
  }
};
const Small formats[] = {{"e4m3", 4, 3, 7, 0},
                         {"e5m2", 5, 2, 15, 0},
                         {"e3m2", 3, 2, 3, 0},
                         {"e2m3", 2, 3, 1, 0},
                         {"e2m1", 2, 1, 1, 2}};

/// Any number of six or four bits, with whatever beside it; of the larger ones those near 1.
std::uint32_t draw(const Small& s, std::mt19937& random) {
  if (s.exponent < 4) return random() & 255;
  const std::uint32_t sign = random() % 2 << 7;
  return sign | (s.bias - 1 + random() % 3) << s.fraction | (random() & ((1U << s.fraction) - 1));
}

struct Setting {
  Small a, b;
  bool sparse = false, scaled = false, half = false;
  unsigned byte_a = 0, thread_a = 0, byte_b = 0, thread_b = 0;
};

std::string spelling(const Setting& s) {
  const std::string sums = s.half ? "f16" : "f32";
  return std::string("mma.") + (s.sparse ? "sp::ordered_metadata." : "") + "sync.aligned.m16n8k" +
         (s.sparse ? "64" : "32") + ".row.col." +
         (s.scaled ? "kind::mxf8f6f4.block_scale.scale_vec::1X." : "kind::f8f6f4.") + sums + "." + s.a.name +
         "." + s.b.name + "." + sums + (s.scaled ? ".ue8m0" : "");
}

/// One warp: b and the scales lie in the image, 16 and 8 bytes a thread.
Run of_warp(const Setting& s, const std::string& instruction) {
  Run r;
  r.threads = 32;
  r.d = s.half ? 2 : 4;
  r.a = 4;
  r.image.resize(32 * 24);
  r.body =
      ".reg .b32 %b<4>, %s<2>;\n.reg .b16 %h<4>;\nmul.wide.u32 %l6, %t0, 16;\nadd.u64 %l6, %l6, %l0;\n"
      "ld.global.v4.u32 {%b0, %b1, %b2, %b3}, [%l6];\nmul.wide.u32 %l6, %t0, 8;\nadd.u64 %l6, %l6, %l0;\n"
      "ld.global.v2.u32 {%s0, %s1}, [%l6+512];\n";
  const unsigned chosen[] = {s.byte_a, s.thread_a, s.byte_b, s.thread_b};
  for (unsigned n = 0; n < 4; ++n)
    r.body += "mov.b16 %h" + std::to_string(n) + ", " + std::to_string(chosen[n]) + ";\n";
  r.body += instruction + " " + list("d", r.d) + ", " + list("a", 4) + ", " + list("b", s.sparse ? 4 : 2) +
            ", " + list("d", r.d) + (s.sparse ? ", %m, 0" : "") +
            (s.scaled ? ", {%s0}, {%h0, %h1}, {%s1}, {%h2, %h3};\n" : ";\n");
  return r;
}

void check(const Setting& s) {
  INFO(spelling(s) << " byte " << s.byte_a << s.byte_b << " thread " << s.thread_a << s.thread_b);
  std::mt19937 random(11);
  const unsigned k = s.sparse ? 64 : 32;
  Matrix stored(64, 32, 8), a(16, k, 8), b(8, k, 8);
  std::vector<std::uint32_t> metadata(32);
  static const unsigned pairs[] = {0x4, 0x8, 0x9, 0xc, 0xd, 0xe};
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned i = 0; i < 32; ++i) {
      stored(row, i) = draw(s.a, random);
      if (!s.sparse) {
        a(row, i) = stored(row, i);
      } else if (i % 2 != 0) {  // sector i / 2: eight of a row in a lane, the row 8 below in the next one
        const unsigned pair = pairs[random() % 6], sector = i / 2;
        metadata[row % 8 * 4 + sector / 8 * 2 + row / 8] |= pair << sector % 8 * 4;
        a(row, sector * 4 + (pair & 3)) = stored(row, i - 1);
        a(row, sector * 4 + (pair >> 2)) = stored(row, i);
      }
    }
  for (std::uint32_t& e : b.at) e = draw(s.b, random);
  Run r = of_warp(s, spelling(s));
  std::vector<int> of_row(16), of_column(8);  // exponents of scales
  for (std::size_t n = 512; n < r.image.size(); ++n) r.image[n] = static_cast<std::uint8_t>(random() % 255);
  const auto scale = [&](unsigned lane, unsigned which, unsigned byte) -> std::uint8_t& {
    return r.image[512 + lane * 8 + which * 4 + byte];
  };
  for (unsigned row = 0; row < 16; ++row) {
    of_row[row] = static_cast<int>(random() % 9) - 4;
    scale(row % 8 * 4 + row / 8 + 2 * s.thread_a, 0, s.byte_a) = static_cast<std::uint8_t>(127 + of_row[row]);
  }
  for (unsigned column = 0; column < 8; ++column) {
    of_column[column] = static_cast<int>(random() % 9) - 4;
    scale(column * 4 + s.thread_b, 1, s.byte_b) = static_cast<std::uint8_t>(127 + of_column[column]);
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    r.in.insert(r.in.end(), r.d, s.half ? 0x40003c00 : 0x40400000);  // 1 and 2, or 3
    const auto words = fragment(stored, lane);
    r.in.insert(r.in.end(), words.begin(), words.end());
    r.in.push_back(metadata[lane]);
    for (unsigned n = 0; n < (s.sparse ? 16U : 8U); ++n)
      r.image[lane * 16 + n] = static_cast<std::uint8_t>(b(lane / 4, lane % 4 * 4 + n % 4 + n / 4 * 16));
  }
  const auto d = run(r);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      double sum = 0;
      for (unsigned x = 0; x < k; ++x) {
        const std::uint32_t mask = s.a.exponent < 4 ? 63 : 255, other = s.b.exponent < 4 ? 63 : 255;
        sum += s.a.value(a(row, x) & mask) * s.b.value(b(column, x) & other);
      }
      if (s.scaled) sum = std::ldexp(sum, of_row[row] + of_column[column]);
      if (s.half) {
        const std::uint32_t found = d[lane * 2 + i / 2] >> i % 2 * 16 & 0xffff;
        const int e = static_cast<int>(found >> 10 & 31);
        const double value = std::ldexp((found & 1023) + (e != 0 ? 1024 : 0), (e != 0 ? e : 1) - 25);
        CHECK(((found & 0x8000) != 0 ? -value : value) == sum + (i % 2 != 0 ? 2 : 1));
      } else {
        float found;
        std::memcpy(&found, &d[lane * 4 + i], 4);
        CHECK(found == static_cast<float>(sum + 3));
      }
    }
}

std::string message_of(const Setting& s, const std::string& instruction) {
  Run r = of_warp(s, instruction);
  r.in.assign(32 * (r.d + 5), 0x44444444);
  try {
    run(r);
  } catch (const strata::TraceError& error) {
    return error.what();
  }
  return "no fault";
}

}  // namespace

TEST_CASE("ptx kinds: products of floats of 8, 6 and 4 bits, dense and sparse, with and without scales") {
  for (const Small& a : formats)
    for (const Small& b : formats)
      for (const bool sparse : {false, true})
        for (const bool scaled : {false, true}) check({a, b, sparse, scaled});
  for (const bool sparse : {false, true}) check({formats[4], formats[4], sparse, false, true});
}

TEST_CASE("ptx kinds: scales come from the byte and the thread that are named") {
  for (unsigned byte = 0; byte < 4; ++byte)
    for (unsigned thread = 0; thread < 4; ++thread) {
      Setting s{formats[2], formats[3], byte % 2 != 0, true};
      s.byte_a = byte;
      s.thread_a = thread % 2;
      s.byte_b = 3 - byte;
      s.thread_b = thread;
      check(s);
    }
}

TEST_CASE("ptx kinds: what does not exist is named") {
  using strata::tb::has_text;
  const Setting plain{formats[2], formats[2]}, sparse{formats[2], formats[2], true},
      scaled{formats[2], formats[2], false, true};
  for (const char* wrong :
       {"m16n8k32.row.col.f32.e3m2.e3m2.f32", "m16n8k16.row.col.kind::f8f6f4.f32.e3m2.e3m2.f32",
        "m16n8k32.row.col.kind::f8f6f4.f32.s8.s8.f32", "m16n8k32.row.col.kind::f8f6f4.f16.e2m1.e2m1.f32",
        "m16n8k32.row.col.kind::f8f6f4.block_scale.f32.e2m1.e2m1.f32",
        "m16n8k32.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0",
        "m16n8k32.row.col.block_scale.f32.e4m3.e4m3.f32.ue8m0"})
    CHECK_THAT(message_of(plain, "mma.sync.aligned." + std::string(wrong)),
               has_text("unsupported instruction 'mma.sync.aligned." + std::string(wrong)));
  CHECK_THAT(message_of(sparse, "mma.sp.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e3m2.e3m2.f32"),
             has_text("unsupported instruction 'mma.sp.sync"));
  CHECK_THAT(message_of(scaled,
                        "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::2X.f32."
                        "e3m2.e3m2.f32.ue8m0"),
             has_text("unsupported instruction 'mma.sync"));
  CHECK_THAT(message_of(plain, spelling(scaled)), has_text("expected 8 operands"));
  CHECK_THAT(message_of(scaled, spelling(plain)), has_text("expected 4 operands"));
  Setting far = scaled;
  far.thread_a = 2;
  CHECK_THAT(message_of(far, spelling(far)), has_text("a scale lies in byte 0 to 3 of thread 0 or 1"));
  CHECK_THAT(message_of(plain, "wgmma.mma_async.sync.aligned.m64n8k32.f32.e3m2.e3m2"),
             has_text("unsupported instruction 'wgmma.mma_async"));
}
