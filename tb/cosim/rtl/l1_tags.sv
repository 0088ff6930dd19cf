// The tags of a tag-split L1 (models/l1/l1_tag_split.h): the chunks of a group share the upper bits of their lines' numbers. What is
// there of a line, and where some of its chunks could go, is said at once; what is to change changes at the edge.
module l1_tags #(
    parameter int SETS = 32,
    parameter int WAYS = 16,  // chunks of a set
    parameter int GROUPS = 4,
    parameter int CHUNKS = 4,  // of a line
    parameter int SHARED_FROM = 13  // bits of a line's number that each chunk has for itself
) (
    input logic clk,
    input logic rst_n,
    input logic [2:0] mutant,  // 0; anything else puts in a fault, to test the checks

    input logic [2:0] op,  // 0 nothing changes, 1 use, 2 reserve, 3 arrive, 4 drop, 5 clear
    input logic [15:0] index,
    input logic [47:0] number,  // of the line
    input logic [CHUNKS-1:0] asked,
    input logic [CHUNKS-1:0] fresh,  // of these: to find room for

    output logic [CHUNKS-1:0] present,
    output logic [WAYS-1:0] ways,  // that hold what was asked for, or are reserved for it
    output logic [WAYS-1:0] take,
    output logic [WAYS-1:0] drop,
    output logic enough
);
  localparam int GROUP = WAYS / GROUPS, W = $clog2(WAYS), C = $clog2(CHUNKS);
  localparam logic [2:0] USE = 1, RESERVE = 2, ARRIVE = 3, DROP = 4, CLEAR = 5;
  localparam logic [2:0] LRU_STANDS = 1, SHARED_IGNORED = 2, REST_STAYS = 3, RESERVED_GOES = 4;

  logic [47:SHARED_FROM] shared[SETS][GROUPS];
  logic [SHARED_FROM-1:0] own[SETS][WAYS];
  logic [C-1:0] chunk[SETS][WAYS];
  logic [WAYS-1:0] used[SETS], reserved[SETS];  // with a chunk or reserved for one; among these: reserved
  logic [W-1:0] age[SETS][WAYS];  // order of use: 0 the last one

  function automatic logic [WAYS-1:0] first_of(input logic [WAYS-1:0] some, input int most);
    int n;
    n = 0;
    first_of = 0;
    for (int w = 0; w < WAYS; w++)
      if (some[w] && n < most) begin
        first_of[w] = 1;
        n++;
      end
  endfunction

  function automatic int oldest_of(input logic [15:0] s, input logic [WAYS-1:0] some);
    oldest_of = -1;
    for (int w = 0; w < WAYS; w++)
      if (some[w] && (oldest_of < 0 || age[s][w] > age[s][oldest_of])) oldest_of = w;
  endfunction

  always_comb begin
    present = 0;
    ways = 0;
    for (int w = 0; w < WAYS; w++)
      if (used[index][w] && own[index][w] == number[SHARED_FROM-1:0] && asked[chunk[index][w]] &&
          (shared[index][w/GROUP] == number[47:SHARED_FROM] || mutant == SHARED_IGNORED)) begin
        ways[w] = 1;
        if (!reserved[index][w]) present[chunk[index][w]] = 1;
      end
  end

  // Empty places of groups with the line's shared tag, then empty groups, then what was used longest ago; a group that takes another
  // shared tag loses all that it has, unless something is reserved in it.
  logic [WAYS-1:0] ours, vacant, fixed, candidates, group;
  int need, victim;
  always_comb begin
    ours = 0;
    vacant = 0;
    fixed = 0;
    for (int g = 0; g < GROUPS; g++) begin
      group = WAYS'((1 << GROUP) - 1) << g * GROUP;
      if ((used[index] & group) == 0) vacant |= group;
      else if (shared[index][g] == number[47:SHARED_FROM]) ours |= group;
      else if ((reserved[index] & group) != 0 && mutant != RESERVED_GOES) fixed |= group;
    end
    group = 0;
    need = $countones(fresh);
    take = first_of(ours & ~used[index], need);
    take |= first_of(vacant, need - $countones(take));
    drop = 0;
    victim = 0;
    candidates = used[index] & ~ways & ~fixed;
    if (mutant != RESERVED_GOES) candidates &= ~reserved[index];
    for (int i = 0; i < CHUNKS; i++)
      if ($countones(take) < need && candidates != 0) begin
        victim = oldest_of(index, candidates);
        candidates[victim] = 0;
        take[victim] = 1;
        drop[victim] = 1;
        if (!ours[victim]) begin
          group = WAYS'((1 << GROUP) - 1) << victim / GROUP * GROUP;
          drop |= used[index] & group;
          take |= first_of(group & ~take, need - $countones(take));
          candidates &= ~group;
        end
      end
    enough = $countones(take) == need;
  end

  function automatic void touch(input logic [15:0] s, input int w);
    for (int o = 0; o < WAYS; o++) if (age[s][o] < age[s][w]) age[s][o]++;
    age[s][w] = 0;
  endfunction

  function automatic void forget(input logic [15:0] s, input int w);
    for (int o = 0; o < WAYS; o++) if (age[s][o] > age[s][w]) age[s][o]--;
    age[s][w] = W'(WAYS - 1);
  endfunction

  logic [WAYS-1:0] found, taken, gone;
  int next;
  always @(posedge clk) begin
    found = ways;
    taken = take;
    gone = drop;
    if (!rst_n) begin
      for (int s = 0; s < SETS; s++) begin
        used[s] = 0;
        reserved[s] = 0;
        for (int w = 0; w < WAYS; w++) age[s][w] = W'(w);
      end
    end else
      case (op)
        USE: if (mutant != LRU_STANDS) for (int w = 0; w < WAYS; w++) if (found[w]) touch(index, w);
        RESERVE: begin
          if (mutant == REST_STAYS) gone &= taken;
          used[index] &= ~gone;
          reserved[index] &= ~gone;
          for (int w = 0; w < WAYS; w++) if (gone[w] && !taken[w]) forget(index, w);
          next = 0;
          for (int w = 0; w < WAYS; w++)
            if (taken[w]) begin
              while (!fresh[next]) next++;
              shared[index][w/GROUP] = number[47:SHARED_FROM];
              own[index][w] = number[SHARED_FROM-1:0];
              chunk[index][w] = C'(next);
              next++;
            end
          used[index] |= taken;
          reserved[index] |= taken;
          for (int w = 0; w < WAYS; w++) if (taken[w]) touch(index, w);
        end
        ARRIVE: reserved[index] &= ~found;
        DROP: begin
          used[index] &= ~found;
          reserved[index] &= ~found;
          for (int w = 0; w < WAYS; w++) if (found[w]) forget(index, w);
        end
        CLEAR:
        for (int s = 0; s < SETS; s++) begin
          used[s] = 0;
          reserved[s] = 0;
        end
        default: ;
      endcase
  end
endmodule
