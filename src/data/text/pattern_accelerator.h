// Hyperscan, or its fork Vectorscan, behind a narrow door: where an expression ends in a text, at
// many bytes a cycle.
//
// Built without CAIRN_HAVE_HYPERSCAN, on a processor the library does not know, or with a library
// that misses matches (Vectorscan 5.4.9 of Debian 12 does), it refuses every expression and callers
// do without.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"

struct hs_database;
struct hs_scratch;

namespace cairn {

// Threads   immutable; share freely, with a Scratch for each thread.
class Accelerator final {
 public:
  // Longer texts are for others to scan.
  static constexpr std::size_t kMaxText = UINT32_MAX;

  // Whether it takes any expression at all. The first call tries the library out, in some 2 ms.
  static bool available();

  // Null if the expression is refused. Takes 0.1 to 2 ms, more for large counted repeats.
  static std::unique_ptr<const Accelerator> compile(const std::string& expression);

  ~Accelerator();
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;

  // Working memory of one thread; made at its first scan and kept.
  class Scratch final {
   public:
    Scratch() = default;
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

   private:
    friend class Accelerator;
    hs_scratch* memory_ = nullptr;
  };

  // Calls found(context, end) for the end offset of every match, in order, each offset once or
  // more, until it returns false. False if the scan could not be done, before any call.
  // REQUIRES: text.size() <= kMaxText; found neither throws nor scans with the same Scratch; a
  // Scratch serves one Accelerator only.
  bool scan(ByteView text, Scratch& scratch, bool (*found)(void* context, std::size_t end),
            void* context) const;

 private:
  explicit Accelerator(hs_database* database) : database_(database) {}
  static bool finds_all(const char* expression, ByteView match);

  hs_database* database_;
};

}  // namespace cairn
