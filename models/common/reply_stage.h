#pragma once

namespace strata {

/// One router stage on the way of the replies, as its netlist parameters make it.
struct ReplyStage {
  int routers = 8;  ///< routers of this stage
  int inputs = 8;   ///< ports of one router on the side of memory
  int outputs = 8;  ///< ports of one router on the side of the SMs
  int flits = 5;    ///< a reply with its line: ceil((header + line) / channel)
  int vcs = 1;
  int vc_flits = 8;     ///< buffer of one VC
  int in_bubble = 2;    ///< idle cycles of an input VC between two packets: pipeline - 2
  int out_bubble = 1;   ///< idle cycles of an output between two packets: 1 with one VC
  int credit_loop = 5;  ///< cycles from a flit's departure until its slot takes the next one
  int iterations = 1;   ///< of the allocators, with several VCs
};

}  // namespace strata
