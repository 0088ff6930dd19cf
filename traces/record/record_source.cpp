#include "traces/record/record_source.h"

#include <algorithm>
#include <cstring>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "traces/cache/content_hash.h"
#include "traces/record/record_format.h"
#include "traces/record/trace_record.pb.h"

namespace strata::traces {

using record::FormatFault;

/// Positioned reads that end within the file.
class RecordSource::File {
 public:
  explicit File(const std::string& path) try : file_(path) {
  } catch (const InputError& error) {
    throw FormatFault(std::string("cannot open: ") + error.what());
  }

  std::uint64_t size() const { return file_.size(); }
  std::string read(std::uint64_t offset, std::uint64_t count) const {
    if (offset > size() || count > size() - offset)
      throw FormatFault("expected " + std::to_string(count) + " bytes at offset " + std::to_string(offset) +
                        ", but the file has only " + std::to_string(size()) + ": it is truncated");
    std::string out(count, '\0');
    try {
      if (file_.read_at(offset, out.data(), count) < count)
        throw FormatFault("the file became shorter while it was read");
    } catch (const InputError& error) {
      throw FormatFault(std::string("cannot read: ") + error.what());
    }
    return out;
  }

 private:
  InputFile file_;
};

namespace {

/// Limits that make any bytes harmless: CUDA's limits on a launch, as in the Accel-Sim reader.
KernelInfo take_kernel(const wire::Kernel& in, std::uint32_t id) {
  KernelInfo info;
  info.name = in.name();
  info.id = id;
  info.grid = {in.grid_x(), in.grid_y(), in.grid_z()};
  info.block = {in.block_x(), in.block_y(), in.block_z()};
  info.shared_bytes = in.shared_bytes();
  info.registers = in.registers();
  info.application = in.application();
  info.stream = in.stream();
  info.priority = in.priority();
  for (const std::uint32_t kernel : in.after()) {
    if (kernel >= id) throw FormatFault("kernel " + std::to_string(id) + " waits for a kernel behind it");
    info.after.push_back(kernel);
  }
  if (in.cluster_x() != 0) info.cluster = {in.cluster_x(), in.cluster_y(), in.cluster_z()};
  if (info.cluster.x > 16 || info.cluster.y > 16 || info.cluster.z > 16 || info.cluster.count() == 0 ||
      info.cluster.count() > 16)
    throw FormatFault("kernel " + std::to_string(id) + " has an impossible cluster");
  const bool grid = info.grid.x > 0 && info.grid.x <= 2147483647u && info.grid.y > 0 &&
                    info.grid.y <= 65535 && info.grid.z > 0 && info.grid.z <= 65535;
  const bool block = info.block.x > 0 && info.block.x <= 1024 && info.block.y > 0 && info.block.y <= 1024 &&
                     info.block.z > 0 && info.block.z <= 1024 && info.block.count() <= 1024;
  if (!grid || !block) throw FormatFault("kernel " + std::to_string(id) + " has an impossible grid or block");
  return info;
}

WarpInstruction take_instruction(const wire::Instruction& in) {
  const bool width = in.width() <= 16 && (in.width() & (in.width() - 1)) == 0;
  if (in.op() >= static_cast<std::uint32_t>(OpClass::count_) || in.address_kind() > 2 || !width ||
      in.first_use() > 255 || (in.flags() & 12) == 12 || in.flags() > 127 ||
      in.sync() >= static_cast<std::uint32_t>(Sync::count_) || in.operand() > 0xffff ||
      in.destination() > 255 || in.destination_count() < -1 || in.destination_count() > 254 ||
      in.weight() < -1 || in.weight() > 254 || (!in.sources().empty() && in.sources().size() != 5) ||
      (!in.units().empty() && in.units().size() != counted_units))
    throw FormatFault("a dictionary entry holds values out of range");
  WarpInstruction i;
  i.pc = in.pc();
  i.op = static_cast<OpClass>(in.op());
  i.address_kind = static_cast<AddressKind>(in.address_kind());
  i.width = static_cast<std::uint8_t>(in.width());
  i.first_use = static_cast<std::uint8_t>(in.first_use());
  i.non_coherent = (in.flags() & 1) != 0;
  i.bypass_l1 = (in.flags() & 2) != 0;
  i.element = in.flags() >> 2 & 3;
  i.local = (in.flags() & 16) != 0;
  i.async = (in.flags() & 32) != 0;
  i.bulk = (in.flags() & 64) != 0;
  i.sync = static_cast<Sync>(in.sync());
  i.operand = static_cast<std::uint16_t>(in.operand());
  i.destination = static_cast<std::uint8_t>(in.destination() - 1);
  i.destination_count = static_cast<std::uint8_t>(in.destination_count() + 1);
  i.weight = static_cast<std::uint8_t>(in.weight() + 1);
  if (!in.sources().empty()) std::memcpy(i.sources.data(), in.sources().data(), i.sources.size());
  if (!in.units().empty()) std::memcpy(i.units.data(), in.units().data(), i.units.size());
  return i;
}

}  // namespace

RecordSource::RecordSource(const std::string& path) : path_(path) {
  const char* part = "";
  try {
    file_ = std::make_unique<File>(path);
    part = "header frame: ";
    const std::uint64_t first_frame = read_header();
    part = "index frame: ";
    read_index(first_frame);
  } catch (const FormatFault& fault) {
    fail(part + std::string(fault.what()));
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(path + ": " + part + "being read");
  }
}

RecordSource::~RecordSource() = default;

void RecordSource::fail(const std::string& what) const {
  throw TraceError(Fault{{path_, 0, 0}, what});
}

bool RecordSource::is_record(const std::string& path) {
  try {
    return File(path).read(0, record::magic.size()) == record::magic;
  } catch (const FormatFault&) {
    return false;
  }
}

template <class Kernels, class Copies>
void RecordSource::take_launches(const Kernels& kernels, const Copies& copies) {
  for (const wire::Kernel& kernel : kernels)
    kernels_.push_back(take_kernel(kernel, static_cast<std::uint32_t>(kernels_.size())));
  for (const wire::Copy& copy : copies)
    copies_.push_back({copy.address(), copy.bytes(), copy.before_kernel()});
}

template <class Codes, class CodeOfKernel>
void RecordSource::take_lines(const Codes& codes, const CodeOfKernel& code_of_kernel) {
  std::vector<std::shared_ptr<const CodeLines>> lines{nullptr};
  try {
    for (const std::string& code : codes) lines.push_back(decode_code_lines(code));
  } catch (const std::invalid_argument& fault) {
    throw FormatFault(fault.what());
  }
  if (code_of_kernel.empty()) return;
  if (static_cast<std::size_t>(code_of_kernel.size()) != kernels_.size())
    throw FormatFault("expected lines of code for as many kernels as there are");
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    const std::uint32_t code = code_of_kernel[static_cast<int>(k)];
    if (code >= lines.size()) throw FormatFault("a kernel has lines of code that are not there");
    kernels_[k].lines = lines[code];
  }
}

std::uint64_t RecordSource::read_header() {
  const std::string start = file_->read(0, record::prologue_bytes);
  if (start.compare(0, record::magic.size(), record::magic) != 0)
    throw FormatFault("expected the magic bytes of a Strata record");
  const std::uint32_t version = record::get_u32(start.data() + 8);
  if (version != record::version)
    throw FormatFault("expected format version " + std::to_string(record::version) + ", found " +
                      std::to_string(version) +
                      (version < record::version ? ": it was written by an earlier Strata; record it again"
                                                 : ": it was written by a later Strata"));
  const std::uint32_t size = record::get_u32(start.data() + 12);
  wire::Header header;
  if (!header.ParseFromString(record::decompress(file_->read(record::prologue_bytes, size))))
    throw FormatFault("expected a Header message");
  take_launches(header.kernels(), header.copies());
  made_from_ = header.source();
  description_ = "record of " + made_from_ + " (" + header.tool() + ")";
  return record::prologue_bytes + size;
}

void RecordSource::read_index(std::uint64_t first_frame) {
  if (file_->size() < first_frame + record::trailer_bytes)
    throw FormatFault("expected the index at the end: the file is truncated");
  const std::uint64_t limit = file_->size() - record::trailer_bytes;
  const std::string trailer = file_->read(limit, record::trailer_bytes);
  if (trailer.compare(16, record::end_magic.size(), record::end_magic) != 0)
    throw FormatFault("expected the end mark in the last 8 bytes: the file is truncated");
  const std::uint64_t offset = record::get_u64(trailer.data());
  if (offset < first_frame || offset > limit || record::get_u64(trailer.data() + 8) != limit - offset)
    throw FormatFault("expected the index between the last thread block and the end mark");
  wire::Index index;
  if (!index.ParseFromString(record::decompress(file_->read(offset, limit - offset))))
    throw FormatFault("expected an Index message");
  take_launches(index.late_kernels(), index.late_copies());
  take_lines(index.codes(), index.code_of_kernel());
  warp_instructions_ = index.warp_instructions();
  index_at_ = offset;
  content_ = index.content();
  for (const wire::Instruction& instruction : index.dictionary())
    if (dictionary_.code(record::static_part(take_instruction(instruction))) + 1 != dictionary_.size())
      throw FormatFault("a dictionary entry occurs twice");
  const int parts = index.kernels_size();
  if (index.parts_size() != index.sizes_size() || index.firsts_size() != parts ||
      index.counts_size() != parts)
    throw FormatFault("expected as many entries in all columns of the index");
  std::uint64_t end = first_frame;
  for (int b = 0, next = 0; b < index.sizes_size(); ++b) {
    Block block;
    block.offset = end;
    block.bytes = index.sizes(b);
    if (block.bytes > offset - end || index.parts(b) > static_cast<std::uint32_t>(parts - next))
      throw FormatFault("block " + std::to_string(b) + " lies outside the file");
    end += block.bytes;
    for (const int stop = next + static_cast<int>(index.parts(b)); next < stop; ++next)
      block.parts.push_back({index.kernels(next), index.firsts(next), index.counts(next)});
    blocks_.push_back(std::move(block));
  }
  if (end != offset) throw FormatFault("expected the blocks to fill the file");
  begun_.resize(kernels_.size());
  for (const wire::Gap& gap : index.gaps()) {
    if (gap.kernel() >= kernels_.size()) throw FormatFault("a count of what is not modelled names no kernel");
    gaps_.push_back({gap.kernel(), gap.reason(), gap.count()});
  }
  place_blocks();
}

std::vector<SourceGap> RecordSource::gaps() const {
  std::vector<SourceGap> begun;
  for (const SourceGap& gap : gaps_)
    if (begun_[gap.kernel]) begun.push_back(gap);
  return begun;
}

void RecordSource::check_content() const {
  constexpr std::uint64_t at_once = std::uint64_t{1} << 20;
  ContentHash found;
  try {
    for (std::uint64_t at = 0; at < index_at_; at += at_once)
      found.add(file_->read(at, std::min(at_once, index_at_ - at)));
  } catch (const FormatFault& fault) {
    fail(fault.what());
  }
  if (found.word() != content_) fail("the bytes are not those that were written: the file is damaged");
}

/// Checks that every CTA of every kernel is in exactly one block.
void RecordSource::place_blocks() {
  places_.resize(kernels_.size());
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    std::uint64_t position = 0;
    for (const record::Part& part : blocks_[b].parts) {
      if (part.kernel >= kernels_.size() || part.count > kernels_[part.kernel].ctas())
        throw FormatFault("block " + std::to_string(b) + " holds thread blocks of no kernel");
      places_[part.kernel].push_back({part.first, part.count, static_cast<std::uint32_t>(b), position});
      position += part.count;
    }
  }
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    std::vector<Place>& places = places_[k];
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.first < b.first; });
    std::uint64_t next = 0;
    for (const Place& place : places) {
      if (place.first != next) break;
      next += place.count;
    }
    if (next != kernels_[k].ctas())
      throw FormatFault("expected " + std::to_string(kernels_[k].ctas()) + " thread blocks of kernel " +
                        std::to_string(k) + ", found " + std::to_string(next));
  }
}

const RecordSource::Place& RecordSource::place_of(std::uint32_t kernel, std::uint64_t cta) const {
  const std::vector<Place>& places = places_[kernel];
  return *(std::upper_bound(places.begin(), places.end(), cta,
                            [](std::uint64_t value, const Place& place) { return value < place.first; }) -
           1);
}

/// The open block for `position`, if it has not passed it. Closes the least recently used block if there are
/// too many.
RecordSource::OpenBlock& RecordSource::open(std::uint32_t block, std::uint64_t position) {
  const Block& where = blocks_[block];
  OpenBlock* found = nullptr;
  for (OpenBlock& open : open_)
    if (open.block == block) found = &open;
  if (found == nullptr && open_.size() < max_open) {
    open_.emplace_back();
    found = &open_.back();
  }
  if (found == nullptr)
    found = &*std::min_element(open_.begin(), open_.end(),
                               [](const OpenBlock& a, const OpenBlock& b) { return a.used < b.used; });
  const bool current = found->decoder != nullptr && found->block == block;
  if (!current || (found->decoder->next() > position && found->kept.count(position) == 0)) {
    found->kept.clear();
    found->decoder.reset();
    found->block = block;
    found->decoder = std::make_unique<record::BlockDecoder>(file_->read(where.offset, where.bytes),
                                                            where.parts, dictionary_);
  }
  found->used = ++uses_;
  return *found;
}

std::shared_ptr<const CtaTrace> RecordSource::read_next(OpenBlock& open) {
  std::uint64_t before = 0;
  for (const record::Part& part : blocks_[open.block].parts) {
    const std::uint64_t at = open.decoder->next() - before;
    if (at < part.count) return open.decoder->read(part.first + at, kernels_[part.kernel].warps_per_cta());
    before += part.count;
  }
  throw FormatFault("expected another thread block");
}

std::shared_ptr<const CtaTrace> RecordSource::fetch(std::uint32_t kernel, std::uint64_t cta) {
  const std::string name =
      "frame of kernel " + std::to_string(kernel) + ", thread block " + std::to_string(cta);
  if (kernel >= kernels_.size() || cta >= kernels_[kernel].ctas()) fail(name + ": there is none");
  const Place& place = place_of(kernel, cta);
  begun_[kernel] = true;
  try {
    const std::uint64_t position = place.position + (cta - place.first);
    OpenBlock& block = open(place.block, position);
    const auto kept = block.kept.find(position);
    if (kept != block.kept.end()) {
      const auto trace = kept->second;
      block.kept.erase(kept);
      return trace;
    }
    while (block.decoder->next() < position) {
      const std::uint64_t skipped = block.decoder->next();
      block.kept[skipped] = read_next(block);
    }
    return read_next(block);
  } catch (const FormatFault& fault) {
    open_.clear();  // a half-read block is useless
    const Block& block = blocks_[place.block];
    fail(name + " (bytes " + std::to_string(block.offset) + " to " +
         std::to_string(block.offset + block.bytes) + "): " + fault.what());
  } catch (const std::bad_alloc&) {
    open_.clear();
    throw OutOfMemory(path_ + ": reading " + name);
  }
}

}  // namespace strata::traces
