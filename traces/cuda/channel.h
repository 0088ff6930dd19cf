#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"

/// What an application says to the program that started it, through a pipe: launches, what their thread
/// blocks execute, faults. Both ends are of one build.
namespace strata::cuda {

enum class Say : std::uint32_t {
  hello,   ///< a library of ours has been loaded
  launch,  ///< LaunchSaid, then the name
  cta,     ///< CtaSaid, then its instructions, warps and addresses
  ended,   ///< LaunchEnded
  copy,    ///< CopySaid
  fault,   ///< text: a kernel cannot go on
  note,    ///< text: something that the user should know, said once
  bye,     ///< text: why the application is ended here
  count_
};

struct LaunchSaid {
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0, registers = 0, local_bytes = 0;
  std::uint32_t recorded = 0;  ///< its thread blocks follow
  std::uint64_t number = 0;    ///< of the application's launches, from 0
};
struct CtaSaid {
  std::uint64_t index = 0, instructions = 0, warps = 0, addresses = 0;
};
struct LaunchEnded {
  std::uint64_t warp_instructions = 0, thread_instructions = 0;  ///< of the PTX
  std::uint64_t recorded_warp = 0, recorded_thread = 0;          ///< of the machine, as they are recorded
  double seconds = 0;
};
struct CopySaid {
  std::uint64_t address = 0, bytes = 0;
};

/// The application's end. Without a pipe it says nothing. Thread blocks wait for each other, since a write
/// costs more than what it carries; all else is sent at once, behind those that wait.
class ChannelWriter {
 public:
  explicit ChannelWriter(int descriptor = -1) : descriptor_(descriptor) {}
  bool open() const { return descriptor_ >= 0; }
  void say(Say what, const std::string& text = {}) { send(what, {text}); }
  void say_launch(const LaunchSaid& launch, const std::string& name);
  void say_cta(const CtaTrace& cta);
  void say_ended(const LaunchEnded& ended);
  void say_copy(const CopySaid& copy);

 private:
  struct Piece {
    Piece(const std::string& text) : data(text.data()), bytes(text.size()) {}
    Piece(const void* from, std::size_t size) : data(from), bytes(size) {}
    const void* data;
    std::size_t bytes;
  };
  void send(Say what, std::initializer_list<Piece> pieces);
  void put(std::vector<Piece> parts);
  int descriptor_;
  std::vector<char> waiting_;
};

/// The other end.
class ChannelReader {
 public:
  explicit ChannelReader(int descriptor) : descriptor_(descriptor) {}
  /// Waits for the next message at most so long; false: none came. At the end of the pipe `ended()` holds.
  /// Throws TraceError for what no ChannelWriter says.
  bool next(int milliseconds);
  bool ended() const { return ended_; }
  Say what() const { return what_; }
  std::string text() const { return {payload_.data(), payload_.size()}; }
  LaunchSaid launch(std::string& name) const;
  const CtaTrace& cta();
  LaunchEnded launch_ended() const;
  CopySaid copy() const;

 private:
  bool read(void* to, std::size_t bytes);
  bool fill();
  [[noreturn]] static void fail();
  template <class T>
  T head() const;
  int descriptor_;
  bool ended_ = false;
  std::vector<char> read_;  ///< from the pipe, ahead of what was taken
  std::size_t taken_ = 0, filled_ = 0;
  Say what_ = Say::hello;
  std::vector<char> payload_;
  CtaTrace cta_;  // keeps its memory from one to the next
};

}  // namespace strata::cuda
