// Textures and surfaces. Rounding of coordinates and weights of texels are those of an H100
// (docs/guide/ptx.md, "Textures").
#include <algorithm>
#include <cmath>
#include <cstring>

#include "traces/ptx/execute/lane_access.h"
#include "traces/ptx/execute/machine.h"
#include "traces/ptx/global_memory.h"
#include "traces/ptx/lanes/half_format.h"
#include "traces/ptx/lanes/lane_rows.h"

namespace strata::traces::ptx {
namespace {

// Op::code
constexpr u8 dimensions = 3, is_layered = 4, whole_coordinates = 8, clamps = 16, zeroes = 32, is_cube = 64,
             gathers = 128;
constexpr u8 by_level = 16, by_gradient = 32;  // of tex, where surfaces have clamps and zeroes

const PtxTexture& object(const Warp& w, const Op* op, u32 lanes) {
  const int first = __builtin_ctz(lanes);
  const u64 handle = row_of<u64>(w, op->a)[first];
  const PtxTexture* found = w.cta->memory->texture(handle);
  if (found == nullptr) fault(w, op, first, "no texture or surface object", handle, true);
  return *found;
}
/// Visits the lanes of one object after another.
template <class Body>
void for_objects(const Warp& w, const Op* op, Body body) {
  const u64* handles = row_of<u64>(w, op->a);
  for (u32 left = w.mask; left != 0;) {
    u32 same = 0;
    for (u32 rest = left; rest != 0; rest &= rest - 1)
      if (handles[__builtin_ctz(rest)] == handles[__builtin_ctz(left)]) same |= rest & (~rest + 1);
    left &= ~same;
    body(object(w, op, same), same);
  }
}

/// Address mode of an axis. Wrap and mirror need normalized coordinates, else they clamp (CUDA Runtime API,
/// cudaTextureDesc::addressMode).
PtxTexture::Edge edge_of(const PtxTexture& t, const Op* op, u32 axis) {
  if ((op->code & whole_coordinates) != 0) return PtxTexture::Edge::border;
  if ((op->code & is_cube) != 0) return PtxTexture::Edge::clamp;
  const PtxTexture::Edge edge = t.edges[axis];
  return t.normalized || edge == PtxTexture::Edge::border ? edge : PtxTexture::Edge::clamp;
}
/// Maps `i` to a texel of the axis; false: the border.
bool on_axis(PtxTexture::Edge edge, s64 n, s64& i) {
  switch (edge) {
    case PtxTexture::Edge::wrap:
      i %= n;
      i += i < 0 ? n : 0;
      return true;
    case PtxTexture::Edge::mirror:
      i %= 2 * n;
      i += i < 0 ? 2 * n : 0;
      i = i >= n ? 2 * n - 1 - i : i;
      return true;
    case PtxTexture::Edge::clamp:
      i = std::min(std::max<s64>(i, 0), n - 1);
      return true;
    default:
      return i >= 0 && i < n;
  }
}

/// Sample of a lane: the lower texel of each axis and the weight of the next, in 256ths.
struct Sample {
  s64 at[3] = {0, 0, 0};
  s32 weight[3] = {0, 0, 0};
  s64 layer = 0;
};
/// Face that a direction hits, and the position on it, from -1 to 1 (CUDA C++ Programming Guide, "Cubemap
/// Textures").
u32 face_of(const float* direction, double* at) {
  const double x = direction[0], y = direction[1], z = direction[2];
  const double ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  const auto meet = [&](double most, double s, double t) {
    at[0] = s / most;
    at[1] = t / most;
  };
  if (ax >= ay && ax >= az) {
    meet(ax, x < 0 ? z : -z, -y);
    return x < 0 ? 1 : 0;
  }
  if (ay >= az) {
    meet(ay, x, y < 0 ? -z : z);
    return y < 0 ? 3 : 2;
  }
  meet(az, z < 0 ? -x : x, -y);
  return z < 0 ? 5 : 4;
}
Sample sample_of(const Warp& w, const Op* op, const PtxTexture& t, u32 lane) {
  const u32 axes = op->code & dimensions;
  const Row* coordinates = op->rows + 4;
  Sample s;
  if ((op->code & is_layered) != 0) {
    s.layer = std::min<s64>(row_of<u32>(w, *coordinates++)[lane], s64{t.size[2]} - 1);
  }
  double on_face[2] = {};
  if ((op->code & is_cube) != 0) {
    float direction[3];
    for (u32 d = 0; d < 3; ++d) direction[d] = row_of<float>(w, coordinates[d])[lane];
    s.layer = std::min<s64>(s.layer * 6 + face_of(direction, on_face), s64{t.size[2]} - 1);
  }
  for (u32 d = 0; d < axes; ++d) {
    if ((op->code & whole_coordinates) != 0) {
      s.at[d] = row_of<s32>(w, coordinates[d])[lane];
      continue;
    }
    double x = (op->code & is_cube) != 0 ? (on_face[d] + 1) / 2 : row_of<float>(w, coordinates[d])[lane];
    if (t.normalized || (op->code & is_cube) != 0) x *= t.size[d];
    x = x != x ? 0 : std::min(std::max(x, -1e9), 1e9);
    if (!t.linear && (op->code & gathers) == 0) {
      s.at[d] = static_cast<s64>(std::floor(x));
      continue;
    }
    const auto fixed = static_cast<s64>(std::floor(x * 256 - 128 + 0.5));
    s.at[d] = fixed >> 8;
    s.weight[d] = static_cast<s32>(fixed & 255);
  }
  return s;
}

float channel_value(const PtxTexture& t, const u8* texel, u32 channel, u32& bits) {
  bits = 0;
  std::memcpy(&bits, texel + channel * t.bits / 8, t.bits / 8);
  if (t.kind == PtxTexture::Kind::reals) {
    const float value =
        t.bits == 16 ? static_cast<float>(Half::widen(static_cast<u16>(bits))) : as<float>(bits);
    bits = as<u32>(value);
    return value;
  }
  const bool is_signed = t.kind == PtxTexture::Kind::signed_numbers;
  if (is_signed && t.bits < 32)
    bits = static_cast<u32>(static_cast<s32>(bits << (32 - t.bits)) >> (32 - t.bits));
  const double most = std::ldexp(1.0, static_cast<int>(t.bits) - (is_signed ? 1 : 0)) - 1;
  const double number = is_signed ? static_cast<double>(static_cast<s32>(bits)) : static_cast<double>(bits);
  return static_cast<float>(std::max(-1.0, number / most));
}

/// Weights of the eight corners in 256ths: the product of two axes is rounded once, the other corners get the
/// rest.
void corner_weights(const Sample& s, u32 axes, s32* weights) {
  weights[0] = 256 - s.weight[0];
  weights[1] = s.weight[0];
  for (u32 d = 1; d < axes; ++d) {
    const u32 half = 1U << d;
    s32 high[4];
    s32 left = s.weight[d];
    for (u32 k = half; k-- > 1;) {
      high[k] = (weights[k] * s.weight[d] + 128) >> 8;
      left -= high[k];
    }
    high[0] = left;
    for (u32 k = 0; k < half; ++k) {
      weights[half + k] = high[k];
      weights[k] -= high[k];
    }
  }
}

/// Order of the corners in tld4: counterclockwise from the lower column and the higher row (PTX ISA, "tld4").
constexpr u32 gathered[4] = {3, 2, 0, 1};

bool gives_reals(const PtxTexture& t) {
  return t.kind == PtxTexture::Kind::reals || t.reads_reals;
}

/// Fetches for lanes with one object, or one level of a mip map.
void fetch_lanes(Warp& w, const Op* op, const PtxTexture& t, u32 lanes, u32 (&results)[4][32]) {
  const bool gather = (op->code & gathers) != 0;
  const u32 axes = op->code & dimensions,
            corners = gather || (t.linear && (op->code & whole_coordinates) == 0) ? 1U << axes : 1;
  const bool reals = gives_reals(t);
  double sums[4][32] = {};
  Sample samples[32];
  s32 weights[32][8];
  for (u32 left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(left));
    samples[lane] = sample_of(w, op, t, lane);
    weights[lane][0] = 256;
    if (corners > 1) corner_weights(samples[lane], axes, weights[lane]);
  }
  for (u32 corner = 0; corner < corners; ++corner) {
    u64 address[32] = {};
    u32 inside = 0;
    for (u32 left = lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<u32>(__builtin_ctz(left));
      s64 at[3] = {0, 0, samples[lane].layer};
      bool texel = true;
      for (u32 d = 0; d < axes; ++d) {
        at[d] = samples[lane].at[d] + (corner >> d & 1);
        texel = on_axis(edge_of(t, op, d), t.size[d], at[d]) && texel;
      }
      const double weight = weights[lane][corner] / 256.0;
      if (gather && !texel && op->count < t.channels)
        results[gathered[corner]][lane] =
            reals ? as<u32>(t.border[op->count]) : static_cast<u32>(static_cast<s32>(t.border[op->count]));
      if (texel) {
        inside |= 1U << lane;
        address[lane] = t.data + static_cast<u64>(at[2]) * t.slice_bytes +
                        static_cast<u64>(at[1]) * t.row_bytes + static_cast<u64>(at[0]) * t.texel_bytes();
        continue;
      }
      for (u32 c = 0; c < t.channels && (op->code & (whole_coordinates | gathers)) == 0; ++c) {
        sums[c][lane] += weight * static_cast<double>(t.border[c]);
        results[c][lane] = reals ? results[c][lane] : static_cast<u32>(static_cast<s32>(t.border[c]));
      }
    }
    // Two adjacent texels in a row are one access.
    const auto visit = [&](u32 lane, const u8* memory) {
      for (u32 c = 0; c < t.channels; ++c) {
        u32 bits = 0;
        const float value = channel_value(t, memory, c, bits);
        if (gather) {
          if (c == op->count) results[gathered[corner]][lane] = reals ? as<u32>(value) : bits;
          continue;
        }
        if (!reals) results[c][lane] = bits;
        sums[c][lane] += weights[lane][corner] / 256.0 * static_cast<double>(value);
      }
    };
    if (inside == 0) continue;
    if ((corner & 1) == 0) record_access(w, op, address, inside, Space::global, t.texel_bytes());
    visit_lanes(w, op, address, inside, t.texel_bytes(), false, visit);
  }
  if (!reals || gather) return;
  for (u32 left = lanes; left != 0; left &= left - 1)
    for (u32 c = 0; c < t.channels; ++c)
      results[c][__builtin_ctz(left)] = as<u32>(static_cast<float>(sums[c][__builtin_ctz(left)]));
}

/// Distance in texels of level 0 to the next lane's sample, from the derivatives along the two axes of a
/// picture.
double texels_apart(const Warp& w, const PtxTexture& t, const Row* derivatives, u32 axes, u32 lane) {
  double most = 0;
  for (u32 direction = 0; direction < 2; ++direction) {
    double square = 0;
    for (u32 d = 0; d < axes; ++d) {
      const double step = row_of<float>(w, derivatives[direction * axes + d])[lane];
      square += step * step * (t.normalized ? static_cast<double>(t.size[d]) * t.size[d] : 1);
    }
    most = std::max(most, std::sqrt(square));
  }
  return most;
}

/// Level of a mip map that a lane reads, in 256ths.
s32 level_of(const Warp& w, const Op* op, const PtxTexture& t, u32 lane) {
  const u32 axes = op->code & dimensions,
            coordinates = axes + ((op->code & is_layered) != 0 ? 1 : 0) + ((op->code & is_cube) != 0 ? 1 : 0);
  const Row* const more = op->rows + 4 + coordinates;
  double level = (op->code & by_gradient) != 0         ? std::log2(texels_apart(w, t, more, axes, lane))
                 : (op->code & whole_coordinates) != 0 ? static_cast<double>(row_of<s32>(w, *more)[lane])
                                                       : double{row_of<float>(w, *more)[lane]};
  level = std::min(std::max(level + double{t.mip_bias}, double{t.least_level}), double{t.most_level});
  level = level != level ? 0 : std::min(std::max(level, 0.0), static_cast<double>(t.smaller.size()));
  if (!t.mip_linear || !gives_reals(t)) return static_cast<s32>(std::floor(level + 0.5)) * 256;
  return static_cast<s32>(std::floor(level * 256 + 0.5));
}

/// Fetches for lanes of a mip map, level after level; two levels are weighted in 256ths.
void fetch_levels(Warp& w, const Op* op, const PtxTexture& t, u32 lanes, u32 (&results)[4][32]) {
  s32 level[32];
  double sums[4][32] = {};
  for (u32 left = lanes; left != 0; left &= left - 1)
    level[__builtin_ctz(left)] = level_of(w, op, t, static_cast<u32>(__builtin_ctz(left)));
  PtxTexture one = t;
  for (u32 n = 0; n <= t.smaller.size(); ++n) {
    const auto weight = [&](int lane) { return 256 - std::abs(level[lane] - static_cast<s32>(n) * 256); };
    u32 here = 0;
    for (u32 left = lanes; left != 0; left &= left - 1)
      if (weight(__builtin_ctz(left)) > 0) here |= left & (~left + 1);
    if (here == 0) continue;
    if (n > 0) {
      const PtxTexture::Level& smaller = t.smaller[n - 1];
      one.data = smaller.data;
      one.size = smaller.size;
      one.row_bytes = smaller.row_bytes;
      one.slice_bytes = smaller.slice_bytes;
    }
    u32 found[4][32] = {};
    fetch_lanes(w, op, one, here, found);
    for (u32 left = here; left != 0; left &= left - 1) {
      const int lane = __builtin_ctz(left);
      for (u32 c = 0; c < 4; ++c) {
        sums[c][lane] += weight(lane) / 256.0 * double{as<float>(found[c][lane])};
        results[c][lane] = gives_reals(t) ? as<u32>(static_cast<float>(sums[c][lane])) : found[c][lane];
      }
    }
  }
}

const Op* fetch_texture(Warp& w, const Op* op) {
  u32 results[4][32] = {};
  for_objects(w, op, [&](const PtxTexture& t, u32 lanes) {
    if (t.smaller.empty() || (op->code & (by_level | by_gradient)) == 0)
      fetch_lanes(w, op, t, lanes, results);
    else
      fetch_levels(w, op, t, lanes, results);
  });
  for (u32 c = 0; c < 4; ++c)
    if (op->rows[c] != no_row) put(w, op->rows[c], results[c]);
  return op + 1;
}

/// op->count elements of op->width bytes; the first coordinate counts bytes.
template <bool Store>
const Op* access_surface(Warp& w, const Op* op) {
  for_objects(w, op, [&](const PtxTexture& t, u32 lanes) {
    const u32 axes = op->code & dimensions, bytes = op->width * op->count;
    const Row* coordinates = op->rows + 4;
    u64 address[32] = {};
    u32 inside = 0;
    for (u32 left = lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<u32>(__builtin_ctz(left));
      s64 at[3] = {0, 0, 0};
      u32 next = 0;
      if ((op->code & is_layered) != 0) at[2] = row_of<s32>(w, coordinates[next++])[lane];
      for (u32 d = 0; d < axes; ++d) at[d] = row_of<s32>(w, coordinates[next++])[lane];
      const s64 ends[3] = {s64{t.size[0]} * t.texel_bytes() - bytes, s64{t.size[1]} - 1, s64{t.size[2]} - 1};
      bool fits = true;
      for (u32 d = 0; d < 3; ++d) {
        if ((op->code & clamps) != 0) at[d] = std::min(std::max<s64>(at[d], 0), ends[d]);
        fits = fits && at[d] >= 0 && at[d] <= ends[d];
      }
      if (!fits && (op->code & zeroes) == 0)
        fault(w, op, static_cast<int>(lane), "outside of the surface, coordinate", static_cast<u64>(at[0]),
              true);
      if (!fits) continue;
      inside |= 1U << lane;
      address[lane] = t.data + static_cast<u64>(at[2]) * t.slice_bytes +
                      static_cast<u64>(at[1]) * t.row_bytes + static_cast<u64>(at[0]);
    }
    const u32 lane_bytes = op->width == 8 ? 8 : op->width == 4 ? 4 : 2;
    for (u32 left = Store ? 0 : lanes & ~inside; left != 0; left &= left - 1)
      for (u32 n = 0; n < op->count; ++n)
        std::memset(row(w, op->rows[n]) + static_cast<u32>(__builtin_ctz(left)) * lane_bytes, 0, lane_bytes);
    if (inside == 0) return;
    access_lanes(w, op, address, inside, bytes, Store, [&](u32 lane, u8* memory) {
      for (u32 n = 0; n < op->count; ++n) {
        u8* reg = row(w, op->rows[n]) + lane * lane_bytes;
        if (!Store) std::memset(reg, 0, lane_bytes);
        std::memcpy(Store ? memory + n * op->width : reg, Store ? reg : memory + n * op->width, op->width);
      }
    });
  });
  return op + 1;
}

/// op->count: index in the fields that texture_query() of the decoder lists.
const Op* query_texture(Warp& w, const Op* op) {
  u32 results[32] = {};
  for_objects(w, op, [&](const PtxTexture& t, u32 lanes) {
    const u32 fields[] = {t.size[0],
                          t.size[1],
                          t.size[2],
                          t.size[2],
                          t.linear ? 1U : 0U,
                          t.normalized ? 1U : 0U,
                          static_cast<u32>(t.smaller.size()) + 1};
    for (u32 left = lanes; left != 0; left &= left - 1) results[__builtin_ctz(left)] = fields[op->count];
  });
  put(w, op->d, results);
  return op + 1;
}

constexpr HandlerEntry rows[] = {make_row(fetch_texture, {}, "tex"), make_row(query_texture, {}, "txq"),
                                 make_row(access_surface<false>, {}, "suld"),
                                 make_row(access_surface<true>, {}, "sust")};

}  // namespace

void add_textures(HandlerTable& table) {
  add(table, rows);
}

}  // namespace strata::traces::ptx
