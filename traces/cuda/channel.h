#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/record/columns.h"
#include "traces/record/dictionary.h"

/// Messages from an application to the program that started it, through a pipe: launches, executed
/// instructions, faults. Both ends come from one build.
namespace strata::cuda {

enum class MessageKind : std::uint32_t {
  hello,   ///< one of Strata's libraries has been loaded
  code,    ///< text: lines of code (models/common/code_lines.h) of the next kernels
  launch,  ///< LaunchSaid, then the kernels that it waits for, and its name
  ctas,    ///< CtasSaid, then new entries of the dictionary and columns
  ended,   ///< LaunchEnded, then lines of `count reason`: what is not modelled
  copy,    ///< CopySaid
  fault,   ///< text: a kernel cannot continue
  note,    ///< text: a note for the user, sent once
  bye,     ///< text: why the application is ended
  count_
};

struct LaunchMessage {
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0, registers = 0, local_bytes = 0;
  std::uint32_t recorded = 0;  ///< its thread blocks are sent
  std::uint64_t number = 0;    ///< number of the launch in the application, from 0
  std::uint64_t stream = 0;    ///< as in KernelInfo, if recorded
  std::int32_t priority = 0;
  std::uint32_t waits =
      0;  ///< number of kernels it waits for; their numbers among the program's recorded kernels follow
  Dim3 cluster;            ///< size of a cluster
  std::uint32_t code = 0;  ///< which of the program's lines of code, from 1; 0: not known
};
/// Thread blocks of the last launch, encoded as in a record (traces/record/column_encoder.h).
struct CtasMessage {
  std::uint64_t first = 0, count = 0, instructions = 0;
  std::uint64_t accesses = 0, lines = 0,
                shared = 0;              ///< accesses to memory; lines they touch; accesses to shared memory
  std::uint64_t known = 0, entries = 0;  ///< dictionary entries sent before, and in this message
  std::uint64_t begins_block = 0;
  std::array<std::uint64_t, traces::record::Columns::count> bytes{};  ///< of each column
};
struct LaunchEnded {
  std::uint64_t warp_instructions = 0, thread_instructions = 0;  ///< PTX instructions
  std::uint64_t recorded_warp = 0, recorded_thread = 0;          ///< machine instructions, as recorded
  double seconds = 0;
};
struct CopyMessage {
  std::uint64_t address = 0, bytes = 0;
};

/// The application's end; without a pipe it sends nothing. Small messages with thread blocks are batched,
/// since a write costs more than their content. All others are sent at once, after the batch.
class ChannelWriter {
 public:
  explicit ChannelWriter(int descriptor = -1) : descriptor_(descriptor) {}
  bool open() const { return descriptor_ >= 0; }
  void send(MessageKind what, const std::string& text = {}) { send_pieces(what, {text}); }
  void send_launch(LaunchMessage launch, const std::vector<std::uint32_t>& after, const std::string& name);
  void send_ctas(CtasMessage message, const std::vector<traces::record::StaticPart>& entries,
                 traces::record::Columns& columns);
  void send_ended(const LaunchEnded& ended, const std::string& gaps);
  void send_copy(const CopyMessage& copy);

 private:
  struct Piece {
    Piece(const std::string& text) : data(text.data()), bytes(text.size()) {}
    Piece(const void* from, std::size_t size) : data(from), bytes(size) {}
    const void* data;
    std::size_t bytes;
  };
  void send_pieces(MessageKind what, const std::vector<Piece>& pieces);
  void put(std::vector<Piece> parts);
  int descriptor_;
  std::vector<char> waiting_;
};

/// The receiving end.
class ChannelReader {
 public:
  explicit ChannelReader(int descriptor) : descriptor_(descriptor) {}
  /// Waits up to this time for the next message; false if none came. At the end of the pipe `ended()` is
  /// true. Throws TraceError for data that no ChannelWriter sends.
  bool next(int milliseconds);
  bool ended() const { return ended_; }
  MessageKind what() const { return what_; }
  std::string text() const { return {payload_.data(), payload_.size()}; }
  LaunchMessage launch(std::vector<std::uint32_t>& after, std::string& name) const;
  CtasMessage ctas(std::vector<traces::record::StaticPart>& entries, traces::record::EncodedCtas& ctas) const;
  LaunchEnded launch_ended(std::string& gaps) const;
  CopyMessage copy() const;

 private:
  bool read(void* to, std::size_t bytes);
  bool fill();
  [[noreturn]] static void fail();
  template <class T>
  T head() const;
  int descriptor_;
  bool ended_ = false;
  std::vector<char> read_;  ///< read from the pipe, not yet taken
  std::size_t taken_ = 0, filled_ = 0;
  MessageKind what_ = MessageKind::hello;
  std::vector<char> payload_;
};

}  // namespace strata::cuda
