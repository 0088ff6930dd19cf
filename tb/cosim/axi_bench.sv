// A manager that reads and writes at random, with bursts, strobes and several requests of an ID under way, holds replies back at
// random, and checks every byte. Prints what it did and a hash of when each reply came: the same in every simulator.
`timescale 1ns / 1ps
module axi_bench;
  parameter NETLIST = "tb/cosim/behind.yaml";
  parameter SET = "";
  parameter integer WANTED = 4000;  // requests
  parameter integer CROSS = 0;      // 1: bursts may cross multiples of 4096, which AXI forbids
  localparam integer BEATS = 2048;  // of memory
  localparam integer DEPTH = 16;    // requests of an ID under way

  reg clk = 0, rst_n = 0;
  always #5 clk = !clk;
  integer cycle = 0;

  reg [7:0] arid, awid;
  reg [39:0] araddr, awaddr;
  reg [7:0] arlen, awlen;
  reg arvalid = 0, awvalid = 0, wvalid = 0, rready = 0, bready = 0, wlast = 0;
  reg [255:0] wdata;
  reg [31:0] wstrb;
  wire arready, awready, wready, rvalid, rlast, bvalid;
  wire [7:0] rid, bid;
  wire [255:0] rdata;
  wire [1:0] rresp, bresp;

  strata_axi4_clock #(.NETLIST(NETLIST), .SET(SET)) platform (.clk(clk));
  strata_axi4 #(.PORT(0)) memory (
      .clk(clk), .rst_n(rst_n),
      .arid(arid), .araddr(araddr), .arlen(arlen), .arsize(3'd5), .arburst(2'd1), .arvalid(arvalid), .arready(arready),
      .rid(rid), .rdata(rdata), .rresp(rresp), .rlast(rlast), .rvalid(rvalid), .rready(rready),
      .awid(awid), .awaddr(awaddr), .awlen(awlen), .awsize(3'd5), .awburst(2'd1), .awvalid(awvalid), .awready(awready),
      .wdata(wdata), .wstrb(wstrb), .wlast(wlast), .wvalid(wvalid), .wready(wready),
      .bid(bid), .bresp(bresp), .bvalid(bvalid), .bready(bready));

  reg [255:0] image[0:BEATS-1];
  reg busy[0:BEATS-1];
  // First beat and length of what is under way, a ring for each of four IDs.
  integer read_first[0:4*DEPTH-1], read_beats[0:4*DEPTH-1], read_head[0:3], read_tail[0:3];
  integer write_first[0:4*DEPTH-1], write_beats[0:4*DEPTH-1], write_head[0:3], write_tail[0:3];
  integer begun = 0, reads = 0, writes = 0, wrong = 0, beat = 0, w_at = 0, w_left = 0;
  integer i, b, first, beats, id, free;
  reg [31:0] state = 7;
  reg [63:0] hash = 0;
  reg [255:0] merged;

  function [31:0] next(input [31:0] from);
    next = from * 32'd1664525 + 32'd1013904223;
  endfunction
  task draw(output integer number, input integer below);
    begin
      state = next(state);
      number = (state >> 8) % below;
    end
  endtask

  task note(input integer what);
    hash = hash * 64'd1099511628211 + {32'b0, cycle} * 4 + {32'b0, what};
  endtask

  initial begin
    for (i = 0; i < BEATS; i = i + 1) begin
      image[i] = 0;
      busy[i] = 0;
    end
    for (i = 0; i < 4; i = i + 1) begin
      read_head[i] = 0;
      read_tail[i] = 0;
      write_head[i] = 0;
      write_tail[i] = 0;
    end
  end

  always @(posedge clk) begin
    cycle = cycle + 1;
    rst_n <= cycle > 2;
    if (rst_n) begin
      // Replies first: what they free may be asked for again in this cycle.
      if (rvalid && rready) begin
        i = rid * DEPTH + read_head[rid] % DEPTH;
        if (rresp != 0 || rdata !== image[read_first[i]+beat]) wrong = wrong + 1;
        beat = beat + 1;
        if (rlast != (beat == read_beats[i])) wrong = wrong + 1;
        if (rlast) begin
          for (b = 0; b < read_beats[i]; b = b + 1) busy[read_first[i]+b] = 0;
          read_head[rid] = read_head[rid] + 1;
          beat = 0;
          reads = reads + 1;
          note(rid);
        end
      end
      if (bvalid && bready) begin
        i = bid * DEPTH + write_head[bid] % DEPTH;
        if (bresp != 0) wrong = wrong + 1;
        for (b = 0; b < write_beats[i]; b = b + 1) busy[write_first[i]+b] = 0;
        write_head[bid] = write_head[bid] + 1;
        writes = writes + 1;
        note(2 + bid);
      end
      draw(i, 4);
      rready <= i != 0;
      draw(i, 4);
      bready <= i != 0;

      if (arvalid && arready) arvalid <= 0;
      if (awvalid && awready) awvalid <= 0;
      if (wvalid && wready) begin
        w_at = w_at + 1;
        w_left = w_left - 1;
        if (w_left == 0) wvalid <= 0;
      end
      // A request of lines that are not under way: who comes first of two would be nobody's promise.
      if (begun < WANTED && (!arvalid || arready) && (!awvalid || awready) && w_left == 0) begin
        draw(first, BEATS);
        draw(beats, 8);
        beats = beats + 1;
        draw(id, 4);
        free = CROSS != 0 || first % 128 + beats <= 128;
        for (b = first / 4 * 4; b < BEATS && b < (first + beats + 3) / 4 * 4; b = b + 1) if (busy[b]) free = 0;
        draw(i, 10);
        if (free != 0 && i < 3 && write_tail[id] - write_head[id] < DEPTH) begin
          begun = begun + 1;
          awvalid <= 1;
          awid <= id;
          awaddr <= first * 32;
          awlen <= beats - 1;
          w_at = first;
          w_left = beats;
          write_first[id*DEPTH+write_tail[id]%DEPTH] = first;
          write_beats[id*DEPTH+write_tail[id]%DEPTH] = beats;
          write_tail[id] = write_tail[id] + 1;
          for (b = 0; b < beats; b = b + 1) busy[first+b] = 1;
        end else if (free != 0 && i >= 3 && read_tail[id] - read_head[id] < DEPTH) begin
          begun = begun + 1;
          arvalid <= 1;
          arid <= id;
          araddr <= first * 32;
          arlen <= beats - 1;
          read_first[id*DEPTH+read_tail[id]%DEPTH] = first;
          read_beats[id*DEPTH+read_tail[id]%DEPTH] = beats;
          read_tail[id] = read_tail[id] + 1;
          for (b = 0; b < beats; b = b + 1) busy[first+b] = 1;
        end
      end
      // The next beat of a write: once made it stays until it is taken.
      if (w_left != 0 && (!wvalid || wready)) begin
        merged = image[w_at];
        for (b = 0; b < 32; b = b + 1) begin
          draw(i, 512);
          wstrb[b] <= i[0];
          wdata[b*8+:8] <= i[8:1];
          if (i[0]) merged[b*8+:8] = i[8:1];
        end
        image[w_at] = merged;
        wlast <= w_left == 1;
        wvalid <= 1;
      end
      if (reads + writes == WANTED) begin
        $display("axi: %0d reads, %0d writes, %0d wrong, %0d cycles, replies %h", reads, writes, wrong, cycle, hash);
        $finish;
      end
      if (cycle == 100 * WANTED) $fatal(1, "axi: no end");
    end
  end
endmodule
