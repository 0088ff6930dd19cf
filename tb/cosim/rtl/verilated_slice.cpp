// llc_slice.sv behind what `timing: rtl` asks of a slice: a plug-in. `strata` is the design; the others have
// a fault each, which `check: model` must find, or lack something that an interface need not have.
#include <cstring>
#include <memory>
#ifdef STRATA_WAVES
#include <verilated_fst_c.h>
#endif

#include "Vllc_slice.h"
#include "Vllc_slice___024root.h"
#include "models/llc_slice/rtl_slice.h"
#include "platforms/engine/plugins/plugin.h"
#include "tb/cosim/rtl/tag_designs.h"
#include "tb/cosim/rtl/verilated_design.h"

namespace {

using namespace strata;

class VerilatedSlice final : public VerilatedDesign<Vllc_slice, RtlSlice> {
 public:
  explicit VerilatedSlice(int mutant, bool event_port = true, bool bytes = true)
      : event_port_(event_port), bytes_(bytes) {
    context_.traceEverOn(true);
    top_.mutant = static_cast<CData>(mutant);
  }
  RtlSliceShape shape() const override {
    return {48, 16, 64, 16, 120, 8, 8, 8, 2048, true, event_port_, bytes_ ? line_bytes : 0};
  }
  void low(const RtlSliceIn& in, RtlSliceOut& out) override {
    top_.clk = 0;
    top_.req_valid = in.req_valid;
    top_.req_op = in.req_op;
    top_.req_line = in.req_line;
    top_.req_set = in.req_set;
    top_.req_whole = in.req_whole;
    top_.req_application = in.req_application;
    top_.req_id = in.req_id;
    top_.carried = top_.carried || in.req_bytes != nullptr;
    if (in.req_valid && in.req_bytes != nullptr) {
      std::memcpy(top_.req_data.data(), in.req_bytes->data.data(), line_bytes);
      std::memcpy(top_.req_enables.data(), in.req_bytes->enables.data(), line_bytes / 8);
    }
    if (in.mrsp_valid && in.mrsp_bytes != nullptr)
      std::memcpy(top_.mrsp_data.data(), in.mrsp_bytes->data.data(), line_bytes);
    top_.rsp_ready = in.rsp_ready;
    top_.mreq_ready = in.mreq_ready;
    top_.mrsp_valid = in.mrsp_valid;
    top_.mrsp_id = in.mrsp_id;
    top_.flush_valid = in.flush_valid;
    top_.flush_drop = in.flush_drop;
    top_.eval();
    out.req_ready = top_.req_ready;
    out.rsp_valid = top_.rsp_valid;
    out.rsp_id = top_.rsp_id;
    out.mreq_valid = top_.mreq_valid;
    out.mreq_write = top_.mreq_write;
    out.mreq_application = top_.mreq_application;
    out.mreq_id = top_.mreq_id;
    out.mreq_line = top_.mreq_line;
    out.mrsp_ready = top_.mrsp_ready;
    out.flush_done = top_.flush_done;
    out.flush_lines = top_.flush_lines;
    if (!event_port_) return;
    out.mreq_cause = top_.mreq_cause;
    out.ev = top_.ev;
    out.ev_id = top_.ev_id;
    out.ev_stall = top_.ev_stall;
    out.ev_evict = top_.ev_evict;
    out.ev_dirty = top_.ev_dirty;
    out.fill_evict = top_.fill_evict;
    out.fill_dirty = top_.fill_dirty;
    out.still = top_.still;
  }
  void passed(RtlBytes& reply, RtlBytes& write) override {
    std::memcpy(reply.data.data(), top_.rsp_data.data(), line_bytes);
    std::memcpy(write.data.data(), top_.mreq_data.data(), line_bytes);
    std::memcpy(write.enables.data(), top_.mreq_enables.data(), line_bytes / 8);
  }
  RtlBytes peek(std::uint64_t line, std::uint16_t set) const override {
    RtlBytes bytes;
    for_each_copy(*top_.rootp, line, set, [&](const auto& data, const auto& newer) {
      const auto* from = reinterpret_cast<const std::uint8_t*>(data.data());
      for (unsigned i = 0; i < line_bytes; ++i)
        if ((newer[i / 32] >> i % 32 & 1U) != 0) {
          bytes.data[i] = from[i];
          bytes.enables[i / 32] |= 1U << i % 32;
        }
    });
    return bytes;
  }
  void poke(std::uint64_t line, std::uint16_t set, const RtlBytes& bytes) override {
    for_each_copy(*top_.rootp, line, set, [&](auto& data, const auto&) {
      auto* to = reinterpret_cast<std::uint8_t*>(data.data());
      for (unsigned i = 0; i < line_bytes; ++i)
        if ((bytes.enables[i / 32] >> i % 32 & 1U) != 0) to[i] = bytes.data[i];
    });
  }
  std::unique_ptr<RtlSlice> another() const override {
    return std::make_unique<VerilatedSlice>(top_.mutant, event_port_, bytes_);
  }
#ifdef STRATA_WAVES
  bool waves(const std::string& file) override {
    if (file.empty()) {
      waves_->close();
    } else {
      top_.trace(waves_.get(), 99);
      waves_->open(file.c_str());
    }
    return true;
  }
  void dump(std::uint64_t time) override {
    waves_->dump(time);
  }
#endif

 private:
  /// Writes of a line on their way to memory, oldest first, then the line.
  template <class Root, class Visit>
  static void for_each_copy(Root& root, std::uint64_t line, std::uint16_t set, Visit visit) {
    for (unsigned i = 0, at = root.llc_slice__DOT__q_out; i < root.llc_slice__DOT__q_count; ++i) {
      if (root.llc_slice__DOT__q_write[at] != 0 && root.llc_slice__DOT__q_line[at] == line)
        visit(root.llc_slice__DOT__q_data[at], root.llc_slice__DOT__q_enables[at]);
      at = at + 1 == queue ? 0 : at + 1;
    }
    for (unsigned way = 0; way < 16; ++way)
      if ((root.llc_slice__DOT__valid[set] >> way & 1U) != 0 && root.llc_slice__DOT__tag[set][way] == line)
        visit(root.llc_slice__DOT__data[set][way], root.llc_slice__DOT__newer[set][way]);
  }

  static constexpr unsigned queue = 64 + 8;  // MSHRs and writes
  static constexpr int line_bytes =
      128;  // the words of Verilator's wide wires are little-endian, as bytes here
  const bool event_port_, bytes_;
#ifdef STRATA_WAVES
  std::unique_ptr<VerilatedFstC> waves_ = std::make_unique<VerilatedFstC>();
#endif
};

template <int mutant, bool event_port = true, bool bytes = true>
std::unique_ptr<RtlModule> make() {
  return std::make_unique<VerilatedSlice>(mutant, event_port, bytes);
}

}  // namespace

STRATA_PLUGIN(rows) {
  add_tag_designs(rows);
  rows.add(strata::RtlDesign{"llc_slice", "strata", "48 sets of 16 ways, write-back", make<0>});
  rows.add(strata::RtlDesign{"llc_slice", "no_events", "the same without an event port", make<0, false>});
  rows.add(strata::RtlDesign{"llc_slice", "no_bytes", "the same without the bytes of lines",
                             make<0, true, false>});
  rows.add(strata::RtlDesign{"llc_slice", "lru_stands", "a hit does not count as use", make<1>});
  rows.add(
      strata::RtlDesign{"llc_slice", "store_forgotten", "a store that hits leaves its line clean", make<2>});
  rows.add(strata::RtlDesign{"llc_slice", "no_merge", "a line is fetched twice", make<3>});
  rows.add(strata::RtlDesign{"llc_slice", "replies_overtake", "a reply overtakes those that wait", make<4>});
  rows.add(
      strata::RtlDesign{"llc_slice", "enables_ignored", "a store writes all bytes of its line", make<6>});
  rows.add(strata::RtlDesign{"llc_slice", "merged_store_lost", "the bytes of a store that merges are lost",
                             make<7>});
  rows.add(strata::RtlDesign{"llc_slice", "write_lost", "a dirty line is not written back", make<5>});
}
