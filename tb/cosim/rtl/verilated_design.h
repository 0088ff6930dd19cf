#pragma once

#include <verilated.h>

/// A design that Verilator has made, with the ports `clk` and `rst_n`, behind an interface of RTL.
template <class Top, class Interface>
class VerilatedDesign : public Interface {
 public:
  VerilatedDesign() = default;
  ~VerilatedDesign() override {
    // What Verilator takes down, it takes out of the context of the thread, which is the last that was made.
    Verilated::threadContextp(&context_);
    top_.final();
  }
  VerilatedDesign(const VerilatedDesign&) = delete;
  VerilatedDesign& operator=(const VerilatedDesign&) = delete;

  void reset() override {
    top_.rst_n = 0;
    for (int i = 0; i < 2; ++i) {
      top_.clk = 0;
      top_.eval();
      top_.clk = 1;
      top_.eval();
    }
    top_.rst_n = 1;
  }
  void high() override {
    top_.clk = 1;
    top_.eval();
  }

 protected:
  VerilatedContext context_;
  Top top_{&context_};
};
