// An AXI4 subordinate of 256 bits in front of a Strata platform: INCR bursts with whole beats, any number of IDs, strobes,
// back-pressure on every channel. The replies of a cycle are on the wires from the next edge on. The bench opens the
// platform with `strata_axi4_clock` and has one subordinate for each port of the netlist.

`ifdef __ICARUS__
`define STRATA_OPEN $strata_axi_open
`define STRATA_TICK $strata_axi_tick
`define STRATA_FINISH $strata_axi_finish
`define STRATA_READ $strata_axi_read
`define STRATA_BEAT $strata_axi_beat
`define STRATA_WRITE $strata_axi_write
`define STRATA_READ_BEAT $strata_axi_read_beat
`define STRATA_WRITE_REPLY $strata_axi_write_reply
`else
import "DPI-C" function int strata_axi_open(input string netlist, input string setting);
import "DPI-C" function int strata_axi_tick();
import "DPI-C" function int strata_axi_finish();
import "DPI-C" function int strata_axi_read(input int port, input int id, input longint address, input int beats);
import "DPI-C" function int strata_axi_beat(input int port, input int beat, input bit [255:0] data, input bit [31:0] strobes);
import "DPI-C" function int strata_axi_write(input int port, input int id, input longint address, input int beats);
import "DPI-C" function int strata_axi_read_beat(input int port, output int id, output bit [255:0] data, output int failed,
                                                 output int last);
import "DPI-C" function int strata_axi_write_reply(input int port, output int id, output int failed);
`define STRATA_OPEN strata_axi_open
`define STRATA_TICK strata_axi_tick
`define STRATA_FINISH strata_axi_finish
`define STRATA_READ strata_axi_read
`define STRATA_BEAT strata_axi_beat
`define STRATA_WRITE strata_axi_write
`define STRATA_READ_BEAT strata_axi_read_beat
`define STRATA_WRITE_REPLY strata_axi_write_reply
`endif

// Opens the platform and advances its clock `core` by a cycle at each falling edge, when all subordinates have pushed.
module strata_axi4_clock #(
    parameter NETLIST = "behind.yaml",
    parameter SET = ""
) (
    input wire clk
);
  initial if (`STRATA_OPEN(NETLIST, SET) != 1) $fatal(1, "the platform cannot be opened");
  always @(negedge clk) if (`STRATA_TICK() != 1) $fatal(1, "the platform has failed");
endmodule

module strata_axi4 #(
    parameter integer PORT = 0,
    parameter integer ID_BITS = 8,
    parameter integer ADDRESS_BITS = 40
) (
    input wire clk,
    input wire rst_n,

    input wire [ID_BITS-1:0] arid,
    input wire [ADDRESS_BITS-1:0] araddr,
    input wire [7:0] arlen,
    input wire [2:0] arsize,
    input wire [1:0] arburst,
    input wire arvalid,
    output wire arready,

    output reg [ID_BITS-1:0] rid,
    output reg [255:0] rdata,
    output reg [1:0] rresp,
    output reg rlast,
    output reg rvalid,
    input wire rready,

    input wire [ID_BITS-1:0] awid,
    input wire [ADDRESS_BITS-1:0] awaddr,
    input wire [7:0] awlen,
    input wire [2:0] awsize,
    input wire [1:0] awburst,
    input wire awvalid,
    output wire awready,

    input wire [255:0] wdata,
    input wire [31:0] wstrb,
    input wire wlast,
    input wire wvalid,
    output wire wready,

    output reg [ID_BITS-1:0] bid,
    output reg [1:0] bresp,
    output reg bvalid,
    input wire bready
);
  // A read that the platform has not accepted yet; a write whose beats arrive, or that it has not accepted yet.
  reg ar_full, aw_full, w_full;
  reg [ID_BITS-1:0] ar_id, aw_id;
  reg [63:0] ar_address, aw_address;
  integer ar_beats, aw_beats, w_beat;

  assign arready = !ar_full;
  assign awready = !aw_full;
  assign wready = aw_full && !w_full;

  integer code, id, failed, last;
  reg [255:0] data;

  task check(input [ADDRESS_BITS-1:0] address, input [7:0] len, input [2:0] size, input [1:0] burst);
    if (size != 5 || burst != 1 || address[4:0] != 0 || (address & 4095) + (len + 1) * 32 > 4096)
      $fatal(1, "strata_axi4: a burst at address %h with len %0d, size %0d and kind %0d; allowed: INCR with whole beats of 32 bytes that crosses no multiple of 4096",
             address, len, size, burst);
  endtask

  always @(posedge clk) begin
    if (!rst_n) begin
      ar_full <= 0;
      aw_full <= 0;
      w_full <= 0;
      w_beat <= 0;
      rvalid <= 0;
      bvalid <= 0;
    end else begin
      if (ar_full) begin
        code = `STRATA_READ(PORT, {24'b0, ar_id}, ar_address, ar_beats);
        if (code < 0) $fatal(1, "strata_axi4: a read is refused");
        if (code == 1) ar_full <= 0;
      end else if (arvalid) begin
        check(araddr, arlen, arsize, arburst);
        ar_full <= 1;
        ar_id <= arid;
        ar_address <= {24'b0, araddr};
        ar_beats <= arlen + 1;
      end

      if (!aw_full && awvalid) begin
        check(awaddr, awlen, awsize, awburst);
        aw_full <= 1;
        aw_id <= awid;
        aw_address <= {24'b0, awaddr};
        aw_beats <= awlen + 1;
        w_beat <= 0;
      end
      if (wready && wvalid) begin
        code = `STRATA_BEAT(PORT, w_beat, wdata, wstrb);
        if (wlast != (w_beat + 1 == aw_beats)) $fatal(1, "strata_axi4: WLAST is not on the last beat");
        w_beat <= w_beat + 1;
        if (wlast) w_full <= 1;
      end
      if (w_full) begin
        code = `STRATA_WRITE(PORT, {24'b0, aw_id}, aw_address, aw_beats);
        if (code < 0) $fatal(1, "strata_axi4: a write is refused");
        if (code == 1) begin
          aw_full <= 0;
          w_full <= 0;
        end
      end

      if (!rvalid || rready) begin
        code = `STRATA_READ_BEAT(PORT, id, data, failed, last);
        rvalid <= code == 1;
        if (code == 1) begin
          rid <= id[ID_BITS-1:0];
          rdata <= data;
          rresp <= failed != 0 ? 2'b10 : 2'b00;
          rlast <= last != 0;
        end
      end
      if (!bvalid || bready) begin
        code = `STRATA_WRITE_REPLY(PORT, id, failed);
        bvalid <= code == 1;
        if (code == 1) begin
          bid <= id[ID_BITS-1:0];
          bresp <= failed != 0 ? 2'b10 : 2'b00;
        end
      end
    end
  end
endmodule
