// A slice of the memory-side LLC: write-back, LRU, whole lines, MSHRs with merging, atomics, flush. What docs/blocks/llc-slice.md says of
// the model holds of it, cycle by cycle: a decision sees the fill of its cycle, its reply may leave in the same cycle, and those of a
// fill leave behind that of the next cycle's decision.
//
// Requests and their replies are known by `id`; the line's number and its set come with a request. Lists of waiting requests and
// of replies are chained through `next_id`. A channel passes something at a rising edge at which `valid` and `ready` are both high.
module llc_slice #(
    parameter int SETS = 48,
    parameter int WAYS = 16,
    parameter int MSHRS = 64,
    parameter int MERGES = 16,
    parameter int LATENCY = 120,
    parameter int REQUEST_QUEUE = 8,
    parameter int REPLY_QUEUE = 8,
    parameter int WRITE_QUEUE = 8,
    parameter int IDS = 2048,
    parameter int BYTES = 128  // of a line
) (
    input logic clk,
    input logic rst_n,
    input logic carried,  // requests and fills bring bytes
    input logic [2:0] mutant,  // 0; anything else puts in a fault, to test the checks

    input logic req_valid,
    output logic req_ready,
    input logic [1:0] req_op,  // 0 load, 1 store, 2 atomic
    input logic [47:0] req_line,
    input logic [15:0] req_set,
    input logic req_whole,  // all bytes of the line
    input logic [2:0] req_application,
    input logic [15:0] req_id,
    input logic [BYTES*8-1:0] req_data,
    input logic [BYTES-1:0] req_enables,

    output logic rsp_valid,
    input logic rsp_ready,
    output logic [15:0] rsp_id,
    output logic [BYTES*8-1:0] rsp_data,  // of the reply that has passed at the last edge: what its line was

    output logic mreq_valid,
    input logic mreq_ready,
    output logic mreq_write,
    output logic [47:0] mreq_line,
    output logic [15:0] mreq_id,     // of a fetch: comes back with the line
    output logic [15:0] mreq_cause,  // of a fetch: the request that missed
    output logic [2:0] mreq_application,
    output logic [BYTES*8-1:0] mreq_data,  // of the write that has passed at the last edge
    output logic [BYTES-1:0] mreq_enables,

    input logic mrsp_valid,
    output logic mrsp_ready,
    input logic [15:0] mrsp_id,
    input logic [BYTES*8-1:0] mrsp_data,

    input logic flush_valid,  // until done; no request comes meanwhile
    input logic flush_drop,
    output logic flush_done,
    output logic [31:0] flush_lines,

    // What happens in this cycle, and why the oldest request does not go on.
    output logic [2:0] ev,  // 1 hit, 2 miss, 3 merge, 4 allocated without a fetch
    output logic [15:0] ev_id,
    output logic [2:0] ev_stall,  // 1 no MSHR, 2 no more merges, 3 write queue, 4 reply queue
    output logic ev_evict,
    output logic ev_dirty,
    output logic fill_evict,
    output logic fill_dirty,
    output logic still  // nothing happens until something comes in
);
  localparam int DEPTH = LATENCY + REQUEST_QUEUE;
  localparam int QUEUE = MSHRS + WRITE_QUEUE;
  localparam int W = $clog2(WAYS);
  localparam logic [2:0] LRU_STANDS = 1, STORE_FORGOTTEN = 2, NO_MERGE = 3, REPLIES_OVERTAKE = 4, WRITE_LOST = 5,
      ENABLES_IGNORED = 6, MERGED_STORE_LOST = 7;

  logic [15:0] t;

  // The pipeline: decided LATENCY cycles after entry, which the cycle into it is part of.
  logic [15:0] p_due[DEPTH], p_set[DEPTH], p_id[DEPTH];
  logic [47:0] p_line[DEPTH];
  logic [1:0] p_op[DEPTH];
  logic [2:0] p_app[DEPTH];
  logic p_whole[DEPTH];
  int p_in, p_out, p_count;

  logic [47:0] tag[SETS][WAYS] /* verilator public_flat_rd */;
  logic [WAYS-1:0] valid[SETS] /* verilator public_flat_rd */;
  logic [WAYS-1:0] dirty[SETS];
  logic [W-1:0] age[SETS][WAYS];  // order of use: 0 the last one
  logic [2:0] owner[SETS][WAYS];

  logic [MSHRS-1:0] m_valid, m_dirty;
  logic [47:0] m_line[MSHRS];
  logic [15:0] m_set[MSHRS], m_head[MSHRS], m_tail[MSHRS];
  logic [2:0] m_app[MSHRS];
  int m_count[MSHRS];

  logic [15:0] next_id[IDS];
  logic [15:0] r_head, r_tail, s_head, s_tail;  // replies that wait; s: those of the last cycle's fill, behind them
  int r_count, s_count;

  // To memory, fetches and writes in one order.
  logic q_write[QUEUE] /* verilator public_flat_rd */;
  logic [47:0] q_line[QUEUE] /* verilator public_flat_rd */;
  logic [15:0] q_id[QUEUE], q_cause[QUEUE];
  logic [2:0] q_app[QUEUE];
  int q_in, writes;
  int q_out /* verilator public_flat_rd */;
  int q_count /* verilator public_flat_rd */;

  logic f_walking;
  int f_set;

  // Bytes, where they are carried: of lines, with those newer than memory's; of requests; of writes to memory.
  logic [BYTES*8-1:0] data[SETS][WAYS] /* verilator public_flat_rw */;
  logic [BYTES-1:0] newer[SETS][WAYS] /* verilator public_flat_rd */;
  logic [BYTES*8-1:0] d_data[IDS];
  logic [BYTES-1:0] d_enables[IDS];
  logic [BYTES*8-1:0] q_data[QUEUE] /* verilator public_flat_rw */;
  logic [BYTES-1:0] q_enables[QUEUE] /* verilator public_flat_rd */;
  logic [1:0] d_op[IDS];

  // The way of a new line: an empty one, or the one used longest ago. `taken`: a way that has just become the youngest; -1: none.
  function automatic int victim_of(input logic [15:0] set, input int taken);
    logic [W-1:0] oldest;
    oldest = taken >= 0 && age[set][taken] == W'(WAYS - 1) ? W'(WAYS - 2) : W'(WAYS - 1);
    victim_of = 0;
    for (int w = 0; w < WAYS; w++) if (age[set][w] == oldest) victim_of = w;
    for (int w = WAYS - 1; w >= 0; w--) if (!valid[set][w] && w != taken) victim_of = w;
  endfunction

  // The oldest request. One that was stalled is looked at again in the cycle after something has become free.
  logic due, write, room, replies, stalled, retry;
  logic [2:0] stall_reason;
  logic [47:0] line;
  logic [15:0] set, id;
  int hit_way, mshr, free, way;

  // A fill.
  logic fill;
  logic [15:0] fill_set;
  int fill_way, taken;

  always_comb begin
    fill_set = m_set[mrsp_id];
    fill_way = 0;
    fill_evict = 0;
    fill_dirty = 0;
    if (mrsp_valid) begin
      fill_way = victim_of(fill_set, -1);
      fill_evict = valid[fill_set][fill_way];
      fill_dirty = fill_evict && dirty[fill_set][fill_way];
    end
    mrsp_ready = !fill_dirty || writes < WRITE_QUEUE;
    fill = mrsp_valid && mrsp_ready;

    line = p_line[p_out];
    set = p_set[p_out];
    id = p_id[p_out];
    write = p_op[p_out] != 0;
    due = p_count != 0 && !(16'(t - p_due[p_out]) >= 16'h8000);
    taken = fill && fill_set == set ? fill_way : -1;
    room = r_count + s_count + (fill ? m_count[mrsp_id] : 0) < REPLY_QUEUE;
    ev = 0;
    ev_id = id;
    ev_stall = 0;
    ev_evict = 0;
    ev_dirty = 0;
    hit_way = -1;
    mshr = -1;
    free = -1;
    way = 0;
    if (due && stalled && !retry) ev_stall = stall_reason;
    else if (due) begin
      for (int w = 0; w < WAYS; w++) if (valid[set][w] && tag[set][w] == line && w != taken) hit_way = w;
      if (taken >= 0 && m_line[mrsp_id] == line) hit_way = taken;
      if (hit_way >= 0) begin
        if (room) ev = 1;
        else ev_stall = 4;
      end else begin
        for (int m = 0; m < MSHRS; m++) if (m_valid[m] && m_line[m] == line && mutant != NO_MERGE) mshr = m;
        for (int m = MSHRS - 1; m >= 0; m--) if (!m_valid[m] || (fill && 16'(m) == mrsp_id)) free = m;
        way = victim_of(set, taken);
        if (mshr >= 0) begin
          if (m_count[mshr] < MERGES) ev = 3;
          else ev_stall = 2;
        end else if (p_op[p_out] == 1 && p_whole[p_out]) begin
          ev_evict = valid[set][way];
          ev_dirty = ev_evict && dirty[set][way];
          if (!room) ev_stall = 4;
          else if (ev_dirty && writes + int'(fill_dirty && fill) >= WRITE_QUEUE) ev_stall = 3;
          else ev = 4;
          if (ev == 0) begin
            ev_evict = 0;
            ev_dirty = 0;
          end
        end else if (free >= 0) ev = 2;
        else ev_stall = 1;
      end
    end
    replies = ev == 1 || ev == 4;
  end

  assign req_ready = p_count < DEPTH && !f_walking;
  assign rsp_valid = r_count != 0 || replies || s_count != 0;
  assign rsp_id = r_count != 0 ? r_head : replies ? id : s_head;
  assign mreq_valid = q_count != 0;
  assign mreq_write = q_write[q_out];
  assign mreq_line = q_line[q_out];
  assign mreq_id = q_id[q_out];
  assign mreq_cause = q_cause[q_out];
  assign mreq_application = q_app[q_out];
  assign still = p_count == 0 && r_count == 0 && s_count == 0 && q_count == 0 && !f_walking;

  // What changes more than one register's worth is done in this order: the fill, the decision, what comes in.
  function automatic void used(input logic [15:0] s, input int w);
    for (int o = 0; o < WAYS; o++) if (age[s][o] < age[s][w]) age[s][o]++;
    age[s][w] = 0;
  endfunction

  function automatic void place(input logic [15:0] s, input int w, input logic [47:0] number, input logic [2:0] app,
                                input logic changed);
    used(s, w);
    tag[s][w] = number;
    valid[s][w] = 1;
    dirty[s][w] = changed;
    owner[s][w] = app;
  endfunction

  function automatic void to_memory(input logic is_write, input logic [47:0] number, input logic [15:0] fetch,
                                    input logic [15:0] cause, input logic [2:0] app, input int from, input int from_way);
    if (is_write && mutant == WRITE_LOST) return;
    q_write[q_in] = is_write;
    q_line[q_in] = number;
    q_id[q_in] = fetch;
    q_cause[q_in] = cause;
    q_app[q_in] = app;
    if (carried && is_write) begin
      q_data[q_in] = data[from][from_way];
      q_enables[q_in] = newer[from][from_way];
    end
    q_in = q_in + 1 == QUEUE ? 0 : q_in + 1;
    q_count++;
    if (is_write) writes++;
  endfunction

  function automatic void reply(input logic [15:0] first, input logic [15:0] last, input int count);
    if (mutant == REPLIES_OVERTAKE && r_count != 0) begin
      next_id[last] = r_head;
      r_head = first;
    end else begin
      if (r_count == 0) r_head = first;
      else next_id[r_tail] = first;
      r_tail = last;
    end
    r_count += count;
  endfunction

  // What a request does to its line, whose bytes are here; its reply brings what the line was.
  function automatic void touch(input logic [15:0] who, input logic merged, inout logic [BYTES*8-1:0] bytes,
                                inout logic [BYTES-1:0] fresh);
    logic [BYTES*8-1:0] was;
    was = bytes;
    if (d_op[who] == 1 && !(merged && mutant == MERGED_STORE_LOST)) begin
      for (int b = 0; b < BYTES; b++)
        if (d_enables[who][b] || mutant == ENABLES_IGNORED) bytes[b*8+:8] = d_data[who][b*8+:8];
      fresh |= d_enables[who];
    end else if (d_op[who] == 2) begin
      for (int w = 0; w < BYTES / 4; w++)
        if (d_enables[who][w*4]) bytes[w*32+:32] = was[w*32+:32] + d_data[who][w*32+:32];
      fresh |= d_enables[who];
    end
    d_data[who] = was;
  endfunction

  function automatic void fill_bytes(input logic [15:0] first, input int count, input int s, input int w);
    logic [15:0] who;
    logic [BYTES*8-1:0] bytes;
    logic [BYTES-1:0] fresh;
    who = first;
    bytes = mrsp_data;
    fresh = 0;
    for (int i = 0; i < count; i++) begin
      touch(who, i != 0, bytes, fresh);
      who = next_id[who];
    end
    data[s][w] = bytes;
    newer[s][w] = fresh;
  endfunction

  logic req, rsp, mreq, own;
  logic [BYTES*8-1:0] bytes;
  logic [BYTES-1:0] fresh;
  int leaver;
  logic [15:0] leaving;
  always @(posedge clk) begin
    req = req_valid && req_ready;
    rsp = rsp_valid && rsp_ready;
    mreq = mreq_valid && mreq_ready;
    own = replies;  // the decision's reply is to wait
    leaving = rsp_id;
    flush_done <= 0;
    if (!rst_n) begin
      t = 0;
      p_in = 0;
      p_out = 0;
      p_count = 0;
      m_valid = 0;
      m_dirty = 0;
      r_count = 0;
      s_count = 0;
      stalled = 0;
      retry = 0;
      q_in = 0;
      q_out = 0;
      q_count = 0;
      writes = 0;
      f_walking = 0;
      f_set = 0;
      for (int s = 0; s < SETS; s++) begin
        valid[s] = 0;
        dirty[s] = 0;
        for (int w = 0; w < WAYS; w++) age[s][w] = W'(w);
      end
    end else begin
      stalled = ev_stall != 0;
      stall_reason = ev_stall;
      retry = fill || (rsp && ev_stall == 4) || (mreq && mreq_write);
      // Replies and requests to memory that leave make room for what comes.
      if (rsp && r_count != 0) begin
        r_head = next_id[r_head];
        r_count--;
      end else if (rsp && replies) own = 0;
      else if (rsp) begin
        s_head = next_id[s_head];
        s_count--;
      end
      if (own) reply(id, id, 1);
      if (s_count != 0) reply(s_head, s_tail, s_count);
      s_count = 0;
      if (mreq) begin
        if (q_write[q_out]) writes--;
        if (carried) begin
          mreq_data = q_data[q_out];
          mreq_enables = q_enables[q_out];
        end
        q_out = q_out + 1 == QUEUE ? 0 : q_out + 1;
        q_count--;
      end

      if (fill) begin
        if (fill_dirty) to_memory(1, tag[fill_set][fill_way], 0, 0, owner[fill_set][fill_way], int'(fill_set), fill_way);
        if (carried) fill_bytes(m_head[mrsp_id], m_count[mrsp_id], int'(fill_set), fill_way);
        place(fill_set, fill_way, m_line[mrsp_id], m_app[mrsp_id], m_dirty[mrsp_id]);
        s_head = m_head[mrsp_id];
        s_tail = m_tail[mrsp_id];
        s_count = m_count[mrsp_id];
        m_valid[mrsp_id] = 0;
      end

      case (ev)
        1: begin
          if (mutant != LRU_STANDS) used(set, hit_way);
          owner[set][hit_way] = p_app[p_out];
          if (write && mutant != STORE_FORGOTTEN) dirty[set][hit_way] = 1;
          if (carried) begin
            bytes = data[set][hit_way];
            fresh = newer[set][hit_way];
            touch(id, 0, bytes, fresh);
            data[set][hit_way] = bytes;
            newer[set][hit_way] = fresh;
          end
        end
        2: begin
          m_valid[free] = 1;
          m_line[free] = line;
          m_set[free] = set;
          m_head[free] = id;
          m_tail[free] = id;
          m_count[free] = 1;
          m_dirty[free] = write;
          m_app[free] = p_app[p_out];
          to_memory(0, line, 16'(free), id, p_app[p_out], 0, 0);
        end
        3: begin
          next_id[m_tail[mshr]] = id;
          m_tail[mshr] = id;
          m_count[mshr]++;
          if (write) m_dirty[mshr] = 1;
        end
        4: begin
          if (ev_dirty) to_memory(1, tag[set][way], 0, 0, owner[set][way], int'(set), way);
          if (carried) begin
            data[set][way] = d_data[id];
            newer[set][way] = d_enables[id];
          end
          place(set, way, line, p_app[p_out], 1);
        end
        default: ;
      endcase
      if (ev != 0) begin
        p_out = p_out + 1 == DEPTH ? 0 : p_out + 1;
        p_count--;
      end

      if (rsp && carried) rsp_data = d_data[leaving];
      if (req && carried) begin
        d_data[req_id] = req_data;
        d_enables[req_id] = req_enables;
        d_op[req_id] = req_op;
      end
      if (req) begin
        p_due[p_in] = t + 16'(LATENCY - 1);
        p_set[p_in] = req_set;
        p_id[p_in] = req_id;
        p_line[p_in] = req_line;
        p_op[p_in] = req_op;
        p_app[p_in] = req_application;
        p_whole[p_in] = req_whole;
        p_in = p_in + 1 == DEPTH ? 0 : p_in + 1;
        p_count++;
      end

      // One dirty line a cycle; a set without any is dropped.
      if (!f_walking) begin
        if (flush_valid && !flush_done && p_count == 0 && m_valid == 0) begin
          f_walking = 1;
          f_set = 0;
          flush_lines = 0;
        end
      end else begin
        leaver = -1;
        for (int w = WAYS - 1; w >= 0; w--) if (valid[f_set][w] && dirty[f_set][w]) leaver = w;
        if (leaver < 0) begin
          if (flush_drop) begin
            flush_lines += $countones(valid[f_set]);
            valid[f_set] = 0;
          end
          if (f_set == SETS - 1) begin
            f_walking = 0;
            flush_done <= 1;
          end
          f_set++;
        end else if (writes < WRITE_QUEUE) begin
          to_memory(1, tag[f_set][leaver], 0, 0, owner[f_set][leaver], f_set, leaver);
          dirty[f_set][leaver] = 0;
          newer[f_set][leaver] = 0;
        end
      end
      t = t + 1;
    end
  end
endmodule
