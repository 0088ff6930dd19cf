#include "models/dcl1_node/dcl1_node_params.h"

namespace strata {

void DcL1Queues::for_each_param(ParamVisitor& v) {
  v.integer({"request_queue", "requests", "accesses from the cores that wait for the cache (Q1)"}, request,
            {1, 4096});
  v.integer({"reply_queue", "replies", "replies that wait for the network to the cores (Q2)"}, reply,
            {1, 4096});
  v.integer({"fill_queue", "replies", "replies of the LLC that wait to be installed (Q4)"}, fill, {1, 4096});
  v.choice({"fill_until", "",
            "a reply with a line stays in Q4 until all accesses that waited for it are in Q2 (answered), or "
            "until the line is in the cache (installed): then they are answered from their MSHR, which is "
            "free when the last "
            "one is in Q2"},
           fill_until, {{FillUntil::answered, "answered"}, {FillUntil::installed, "installed"}});
}

void home_params(ParamVisitor& v, HomeInterleave& shared) {
  v.integer(
      {"homes", "nodes",
       "nodes that lines are shared out among, in turn: sets are chosen by the number of a line among its "
       "node's own, without what chose the node; 1: by its number"},
      shared.homes, {1, 4096});
  v.integer({"home_run", "lines", "neighbouring lines that have the same home, where there are several"},
            shared.run, {1, 4096});
}

}  // namespace strata
