#include "models/l1/l1_by_chunks_params.h"

#include <string>

#include "models/cache/geometry.h"
#include "models/cache/replacement.h"

namespace strata {
namespace {

constexpr Named<L1ByChunksParams::Evict> evictions[] = {{L1ByChunksParams::Evict::line, "line"},
                                                        {L1ByChunksParams::Evict::chunks, "chunks"}};

}  // namespace

void L1ByChunksParams::for_each_param(ParamVisitor& v) {
  v.bytes({"size", "bytes", "capacity"}, size, {32, static_cast<std::int64_t>(64 * MiB)});
  v.integer({"ways", "ways", "lines that a set has room for"}, ways, {1, most_ways});
  v.bytes({"line", "bytes", "cache line"}, line, {32, 256, true});
  v.bytes({"chunk", "bytes", "part of a line that is fetched and kept on its own"}, chunk,
          {static_cast<std::int64_t>(smallest_chunk()), 256, true});
  v.choice(
      {"set_index", "",
       "set of a line: its number modulo the sets, plain, after folding in its higher bits, or after "
       "dividing it by a primitive polynomial over GF(2); or, of 32 or 64 sets, by the hash of Fermi's L1"},
      set_index, set_index_kinds);
  v.choice({"evict", "", "what a store drops that finds its line: all of the line, or the chunks it writes"},
           evict, evictions);
  L1Params::for_each_param(v);
  v.integer({"mshrs", "registers", "lines that can be fetched at the same time"}, mshrs, {1, 1024});
  v.integer({"merges", "accesses", "accesses that can wait for one line, the first miss included"}, merges,
            {1, 4096});
}

Faults L1ByChunksParams::validate() const {
  Faults faults = check_geometry(size, ways, line, set_index);
  if (chunk > line)
    faults.push_back(param_fault("chunk", "is " + to_text(chunk) + ", more than $.line=" + to_text(line) +
                                              "; allowed: " + to_text(Bytes(smallest_chunk())) +
                                              " to the line, a power of two"));
  if (names_parts() && line > std::uint64_t{128})
    faults.push_back(param_fault("chunk", "is " + to_text(chunk) +
                                              ", but parts of less than 32 B have names in "
                                              "lines of up to 128 B, and $.line=" +
                                              to_text(line) + "; allowed: 32 B to the line"));
  append_bank_faults(faults, line);
  append_texture_faults(faults, line);
  append_local_fault(faults, "this L1 keeps no stores (l1_private, l1_sectored and l1_prioritized do)");
  const int most = static_cast<int>(most_ways * chunk / line);
  if (chunk <= line && ways > most)
    faults.push_back(param_fault("ways", "is " + std::to_string(ways) + ", which makes " +
                                             std::to_string(ways * line_chunks()) +
                                             " chunks a set; allowed with $.chunk=" + to_text(chunk) +
                                             ": 1 to " + std::to_string(most)));
  return faults;
}

void L1ByChunksParams::append_mshrs(StorageFields& fields) const {
  const auto registers = static_cast<std::uint64_t>(mshrs);
  const std::uint64_t warp = 6, load = 5, chunks = line / chunk;
  fields.push_back({"MSHR: line, in use, stale", registers, number_bits(line) + 2});
  fields.push_back({"MSHR: issued chunks", registers, chunks});
  fields.push_back({"MSHR: warp, load and chunks of a waiter", registers * static_cast<std::uint64_t>(merges),
                    warp + load + chunks});
}

void L1ByChunksStats::for_each_stat(StatVisitor& v) const {
  L1Stats::for_each_stat(v);
  v.counter({"set_full_stalls", "accesses",
             "accesses held back because only what is reserved was left in their set"},
            set_full_stalls);
  v.counter({"partial_misses", "accesses", "misses that found some of what they asked for"}, partial_misses);
  v.counter({"fetched_chunks", "chunks", "chunks that misses asked for"}, fetched_chunks);
  v.counter({"replaced_chunks", "chunks", "chunks evicted for others"}, replaced_chunks);
  const std::string fetches = "misses" + std::string(prefetch.issued_too());
  v.law(fetches + " >= evictions");
  v.law(fetches + " >= partial_misses");
  v.law("fetched_chunks >= " + fetches);
}

}  // namespace strata
