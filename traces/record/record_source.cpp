#include "traces/record/record_source.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "models/common/faults.h"
#include "traces/record/cta_codec.h"
#include "traces/record/record_format.h"
#include "traces/record/trace_record.pb.h"

namespace strata::traces {

using record::FormatFault;

/// Positioned reads that end within the file.
class RecordSource::File {
 public:
  explicit File(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw FormatFault(std::string("cannot open: ") + std::strerror(errno));
    struct stat status = {};
    if (::fstat(descriptor_, &status) == 0) size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::uint64_t size() const { return size_; }
  std::string read(std::uint64_t offset, std::uint64_t count) const {
    if (offset > size_ || count > size_ - offset)
      throw FormatFault("expected " + std::to_string(count) + " bytes at offset " + std::to_string(offset) +
                        ", but the file has only " + std::to_string(size_) + ": it is truncated");
    std::string out(count, '\0');
    std::size_t done = 0;
    while (done < count) {
      const ssize_t got =
          ::pread(descriptor_, out.data() + done, count - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw FormatFault(std::string("cannot read: ") + std::strerror(errno));
      if (got == 0) throw FormatFault("the file became shorter while it was read");
      done += static_cast<std::size_t>(got);
    }
    return out;
  }

 private:
  int descriptor_;
  std::uint64_t size_ = 0;
};

namespace {

/// Limits that keep any bytes harmless; the Accel-Sim reader's are the same (CUDA's limits on a launch).
KernelInfo take_kernel(const wire::Kernel& in, std::uint32_t id) {
  KernelInfo info;
  info.name = in.name();
  info.id = id;
  info.grid = {in.grid_x(), in.grid_y(), in.grid_z()};
  info.block = {in.block_x(), in.block_y(), in.block_z()};
  info.shared_bytes = in.shared_bytes();
  info.registers = in.registers();
  info.application = in.application();
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
      in.first_use() > 255 || in.flags() > 3 || in.destination() > 255 || in.destination_count() > 255 ||
      in.weight() > 255 || in.sources().size() != 5)
    throw FormatFault("a dictionary entry holds values out of range");
  WarpInstruction i;
  i.pc = in.pc();
  i.op = static_cast<OpClass>(in.op());
  i.address_kind = static_cast<AddressKind>(in.address_kind());
  i.width = static_cast<std::uint8_t>(in.width());
  i.first_use = static_cast<std::uint8_t>(in.first_use());
  i.non_coherent = (in.flags() & 1) != 0;
  i.bypass_l1 = (in.flags() & 2) != 0;
  i.destination = static_cast<std::uint8_t>(in.destination());
  i.destination_count = static_cast<std::uint8_t>(in.destination_count());
  i.weight = static_cast<std::uint8_t>(in.weight());
  std::memcpy(i.sources.data(), in.sources().data(), i.sources.size());
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
    fail(std::string(part) + "too large for the memory");
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

std::uint64_t RecordSource::read_header() {
  const std::string start = file_->read(0, record::prologue_bytes);
  if (start.compare(0, record::magic.size(), record::magic) != 0)
    throw FormatFault("expected the magic bytes of a Strata record");
  const std::uint32_t version = record::get_u32(start.data() + 8);
  if (version != record::version)
    throw FormatFault("expected format version " + std::to_string(record::version) + ", found " +
                      std::to_string(version));
  const std::uint32_t size = record::get_u32(start.data() + 12);
  wire::Header header;
  if (!header.ParseFromString(record::decompress(file_->read(record::prologue_bytes, size))))
    throw FormatFault("expected a Header message");
  for (const wire::Kernel& kernel : header.kernels())
    kernels_.push_back(take_kernel(kernel, static_cast<std::uint32_t>(kernels_.size())));
  for (const wire::Copy& copy : header.copies())
    copies_.push_back({copy.address(), copy.bytes(), copy.before_kernel()});
  description_ = "record of " + header.source() + " (" + header.tool() + ")";
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
  if (static_cast<std::size_t>(index.kernels_size()) != kernels_.size())
    throw FormatFault("expected " + std::to_string(kernels_.size()) + " kernels, found " +
                      std::to_string(index.kernels_size()));
  warp_instructions_ = index.warp_instructions();
  std::uint64_t end = 0;
  for (int k = 0; k < index.kernels_size(); ++k) {
    const wire::KernelIndex& in = index.kernels(k);
    Directory directory;
    for (const wire::Instruction& instruction : in.dictionary())
      if (directory.dictionary.code(record::static_part(take_instruction(instruction)), instruction.base()) +
              1 !=
          directory.dictionary.size())
        throw FormatFault("a dictionary entry occurs twice");
    const std::uint64_t ctas = kernels_[static_cast<std::size_t>(k)].ctas();
    if (static_cast<std::uint64_t>(in.sizes_size()) != ctas || in.gaps_size() != in.sizes_size())
      throw FormatFault("expected " + std::to_string(ctas) + " thread blocks of kernel " + std::to_string(k) +
                        ", found " + std::to_string(in.sizes_size()));
    directory.frames.reserve(ctas);
    for (int i = 0; i < in.sizes_size(); ++i) {
      const std::uint64_t start = end + static_cast<std::uint64_t>(in.gaps(i));
      if (start < first_frame || start > offset || in.sizes(i) > offset - start)
        throw FormatFault("thread block " + std::to_string(i) + " of kernel " + std::to_string(k) +
                          " lies outside the file");
      directory.frames.push_back({start, in.sizes(i)});
      end = start + in.sizes(i);
    }
    directories_.push_back(std::move(directory));
  }
}

std::shared_ptr<const CtaTrace> RecordSource::fetch(std::uint32_t kernel, std::uint64_t cta) {
  const std::string name =
      "frame of kernel " + std::to_string(kernel) + ", thread block " + std::to_string(cta);
  if (kernel >= kernels_.size() || cta >= kernels_[kernel].ctas()) fail(name + ": there is none");
  const Frame frame = directories_[kernel].frames[cta];
  try {
    auto trace = record::decode_cta(file_->read(frame.offset, frame.size), kernel, cta,
                                    directories_[kernel].dictionary);
    if (trace->warps() != kernels_[kernel].warps_per_cta())
      throw FormatFault("expected " + std::to_string(kernels_[kernel].warps_per_cta()) + " warps, found " +
                        std::to_string(trace->warps()));
    return trace;
  } catch (const FormatFault& fault) {
    fail(name + " (bytes " + std::to_string(frame.offset) + " to " +
         std::to_string(frame.offset + frame.size) + "): " + fault.what());
  } catch (const std::bad_alloc&) {
    fail(name + ": too large for the memory");
  }
}

}  // namespace strata::traces
