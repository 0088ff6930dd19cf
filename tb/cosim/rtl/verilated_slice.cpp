// llc_slice.sv behind what `timing: rtl` asks of a slice: a plug-in. `strata` is the design; the others have
// a fault each, which `check: model` must find.
#include <memory>
#include <verilated.h>

#include "Vllc_slice.h"
#include "models/llc_slice/rtl_slice.h"
#include "platforms/plugins/plugin.h"

namespace {

using namespace strata;

class VerilatedSlice final : public RtlSlice {
 public:
  explicit VerilatedSlice(int mutant) { top_.mutant = static_cast<CData>(mutant); }
  ~VerilatedSlice() override { top_.final(); }
  VerilatedSlice(const VerilatedSlice&) = delete;
  VerilatedSlice& operator=(const VerilatedSlice&) = delete;

  RtlSliceShape shape() const override { return {48, 16, 64, 16, 120, 8, 8, 8, 2048}; }
  void reset() override {
    top_.rst_n = 0;
    for (int i = 0; i < 2; ++i) {
      top_.clk = 0;
      top_.eval();
      top_.clk = 1;
      top_.eval();
    }
    top_.rst_n = 1;
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
    out.mreq_cause = top_.mreq_cause;
    out.mreq_line = top_.mreq_line;
    out.mrsp_ready = top_.mrsp_ready;
    out.flush_done = top_.flush_done;
    out.flush_lines = top_.flush_lines;
    out.ev = top_.ev;
    out.ev_id = top_.ev_id;
    out.ev_stall = top_.ev_stall;
    out.ev_evict = top_.ev_evict;
    out.ev_dirty = top_.ev_dirty;
    out.fill_evict = top_.fill_evict;
    out.fill_dirty = top_.fill_dirty;
    out.still = top_.still;
  }
  void high() override {
    top_.clk = 1;
    top_.eval();
  }

 private:
  VerilatedContext context_;
  Vllc_slice top_{&context_};
};

template <int mutant>
std::unique_ptr<RtlModule> make() {
  return std::make_unique<VerilatedSlice>(mutant);
}

}  // namespace

STRATA_PLUGIN(rows) {
  rows.add(strata::RtlDesign{"llc_slice", "strata", "48 sets of 16 ways, write-back", make<0>});
  rows.add(strata::RtlDesign{"llc_slice", "lru_stands", "a hit does not count as use", make<1>});
  rows.add(
      strata::RtlDesign{"llc_slice", "store_forgotten", "a store that hits leaves its line clean", make<2>});
  rows.add(strata::RtlDesign{"llc_slice", "no_merge", "a line is fetched twice", make<3>});
  rows.add(strata::RtlDesign{"llc_slice", "replies_overtake", "a reply overtakes those that wait", make<4>});
  rows.add(strata::RtlDesign{"llc_slice", "write_lost", "a dirty line is not written back", make<5>});
}
