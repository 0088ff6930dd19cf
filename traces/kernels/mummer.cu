// Matching of queries against a text through its suffix tree: a thread per query finds, for each place of the query, the
// longest match that begins there, and goes on from place to place by suffix links. The tree is read by the texture path
// (__ldg), queries and text are not.
// A node is four words, as are its children by base: first and last character of the edge to it, suffix link and parent.
extern "C" __global__ void find_matches(const uint4* nodes, const uint4* children, unsigned root, const char* text,
                                        const char* queries, const int* begins, const int* lengths, int2* matches,
                                        int number, int least) {
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= number) return;
  const int length = lengths[q], begin = begins[q];
  int2* found = matches + begin - q * (least + 1);
  const char* query = queries + begin;  // a letter in front of the bases, and 0 behind them
  unsigned at = 0;
  int known = 0, matched = 0;  // on an edge after a suffix link, and in all, that letter included
  for (int place = 0; place <= length - least; ++place, ++found) {
    if (at == 0 || matched < 1) {
      at = root;
      matched = 1;
      known = 0;
    }
    unsigned from = at, here = 0, first = 0;
    bool stays = false;  // there is no edge with the next base
    char base = query[place + matched];
    while (base != 0) {
      const uint4 next = __ldg(children + at);
      from = at;
      at = base == 'A' ? next.x : base == 'C' ? next.y : base == 'G' ? next.z : base == 'T' ? next.w : 0;
      stays = at == 0;
      if (stays) break;
      const uint4 node = __ldg(nodes + at);
      first = node.x;
      const unsigned last = node.y;
      const int edge = last - first + 1;
      if (known != 0) {
        here = min(first + known, last + 1);
        matched += min(edge, known);
        known = max(known - edge, 0);
      } else {
        here = first + 1;
        ++matched;
      }
      base = query[place + matched];
      bool differs = false;
      while (here <= last && base != 0) {
        differs = text[here] != base;
        if (differs) break;
        ++matched;
        ++here;
        base = query[place + matched];
      }
      if (differs) break;
    }
    const int on_edge = stays ? 0 : here - first;
    if (matched > least) *found = make_int2(stays ? from : at, on_edge);
    known = on_edge;
    matched -= on_edge + 1;
    at = __ldg(nodes + from).z;
  }
}
