#include <algorithm>

#include "traces/ptx/decode/decoder.h"
#include "traces/ptx/lanes/handlers.h"

namespace strata::traces::ptx {
namespace {

constexpr std::uint8_t layered = 4, by_level = 16, by_gradient = 32, cube = 64, gather = 128;

/// 0 to 3 of r, g, b, a; else 4.
std::uint8_t channel_of(const std::string& name) {
  const std::size_t at = std::string("rgba").find(name);
  return name.size() == 1 && at != std::string::npos ? static_cast<std::uint8_t>(at) : 4;
}

/// `2d`, `a1d`, `cube`: axes, and 4 when it is layered, 64 for a cube; 0: none of these.
std::uint8_t geometry_of(const Instruction& i) {
  for (const std::string& s : i.suffix) {
    if (s == "1d" || s == "2d" || s == "3d") return static_cast<std::uint8_t>(s[0] - '0');
    if (s == "a1d" || s == "a2d") return static_cast<std::uint8_t>((s[1] - '0') | layered);
    if (s == "cube") return 2 | cube;
    if (s == "acube") return 2 | cube | layered;
  }
  return 0;
}

}  // namespace

/// The object and its coordinates: rows 4 and on of the list.
void Decoder::texture_place(Flow& f, const Operand& o, bool whole, std::vector<Row>& rows) {
  if (!o.address || o.kind != Operand::Kind::reg || o.elements.empty())
    fail("expected an object in a register and coordinates, such as [%rd1, {%f1, %f2}]");
  f.op.a = source(f, o, 'l');
  const std::size_t wanted =
      (f.op.code & 3U) + ((f.op.code & layered) != 0 ? 1 : 0) + ((f.op.code & cube) != 0 ? 1 : 0);
  if (o.elements.size() < wanted) fail("expected " + std::to_string(wanted) + " coordinates");
  rows.resize(4, no_row);
  for (std::size_t n = 0; n < wanted; ++n) rows.push_back(source(f, o.elements[n], 'w'));
  if (whole) f.op.code |= 8;
  f.op.space = Space::global;
}

/// tex, and tld4: one channel of the four texels that a linear fetch takes.
void Decoder::texture() {
  Type result, coordinate;
  const auto& suffix = instruction_->suffix;
  const std::uint8_t geometry = geometry_of(*instruction_);
  const bool gathers = instruction_->opcode == "tld4";
  if (geometry == 0 || suffix.size() < 2 || !parse_type(suffix[suffix.size() - 1], coordinate) ||
      !parse_type(suffix[suffix.size() - 2], result) || result.bits != 32 || result.pair ||
      coordinate.bits != 32 || ((geometry & cube) != 0 && coordinate.kind != 'f') ||
      !instruction_->has("v4") ||
      (gathers && (geometry != 2 || coordinate.kind != 'f' || channel_of(suffix[0]) > 3)))
    unsupported(instruction_->spelling());
  Flow f = simple(find_handler("tex")->handler);
  f.op.code = static_cast<std::uint8_t>(geometry | (gathers ? gather : 0));
  if (gathers) f.op.count = channel_of(suffix[0]);
  std::vector<Row> rows;
  const Operand& d = operand(0);
  if (d.elements.size() != 4) fail("expected 4 destinations");
  for (const Operand& e : d.elements)
    rows.push_back(e.kind == Operand::Kind::sink ? no_row : destination(f, e, 'w'));
  texture_place(f, operand(1), coordinate.kind != 'f', rows);
  if (instruction_->has("level")) {
    f.op.code |= by_level;
    rows.push_back(source(f, operand(2), 'w'));
  } else if (instruction_->has("grad")) {
    if ((geometry & cube) != 0) unsupported(instruction_->spelling());
    f.op.code |= by_gradient;
    for (const std::size_t direction : {2, 3}) {
      const Operand& derivative = operand(direction);
      if (derivative.elements.size() < (geometry & 3U))
        fail("expected " + std::to_string(geometry & 3U) + " derivatives in a vector");
      for (std::size_t n = 0; n < (geometry & 3U); ++n)
        rows.push_back(source(f, derivative.elements[n], 'w'));
    }
  }
  f.op.rows = list(rows);
  f.op.op_class = OpClass::load;
  f.op.flags |= non_coherent;
  f.memory = Flow::Memory::load;
  f.hoistable = true;
  push(std::move(f));
}

/// txq and suq: what an object is like.
void Decoder::texture_query() {
  static const std::vector<std::string> known = {
      "width", "height", "depth", "array_size", "filter_mode", "normalized_coords", "num_mipmap_levels"};
  const auto& suffix = instruction_->suffix;
  const auto found = suffix.empty() ? known.end() : std::find(known.begin(), known.end(), suffix[0]);
  if (found == known.end() || suffix.size() != 2 || suffix[1] != "b32") unsupported(instruction_->spelling());
  const Operand& object = operand(1);
  if (!object.address || object.kind != Operand::Kind::reg || !object.elements.empty())
    fail("expected an object in a register, such as [%rd1]");
  Flow f = simple(find_handler("txq")->handler);
  f.op.count = static_cast<std::uint8_t>(found - known.begin());
  f.op.d = destination(f, operand(0), 'w');
  f.op.a = source(f, object, 'l');
  push(std::move(f));
}

void Decoder::surface(bool store) {
  const Type t = last_type();
  const std::uint8_t geometry = geometry_of(*instruction_);
  if (geometry == 0 || (geometry & cube) != 0 || !instruction_->has("b") || t.kind != 'b' || elements() > 4 ||
      t.bits > 64)
    unsupported(instruction_->spelling());
  Flow f = simple(find_handler(store ? "sust" : "suld")->handler);
  f.op.code = static_cast<std::uint8_t>(geometry | (instruction_->has("clamp") ? 16 : 0) |
                                        (instruction_->has("zero") ? 32 : 0));
  f.op.count = elements();
  f.op.width = static_cast<std::uint8_t>(t.bytes());
  const Operand &place = operand(store ? 0 : 1), &values = operand(store ? 1 : 0);
  const auto& all = values.kind == Operand::Kind::vector ? values.elements : std::vector<Operand>{values};
  if (all.size() != f.op.count || f.op.count * f.op.width > 16)
    fail("expected " + std::to_string(f.op.count) + " values of at most 16 B");
  std::vector<Row> rows;
  for (const Operand& e : all) rows.push_back(store ? source(f, e, letter(t)) : destination(f, e, letter(t)));
  texture_place(f, place, true, rows);
  f.op.code = static_cast<std::uint8_t>(f.op.code & ~8U);
  f.op.rows = list(rows);
  f.op.op_class = store ? OpClass::store : OpClass::load;
  f.memory = store ? Flow::Memory::store : Flow::Memory::load;
  f.barrier = true;
  push(std::move(f));
}

}  // namespace strata::traces::ptx
