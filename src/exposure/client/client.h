// Client: somebody at a store, whichever way leads to it. Commands know nothing else of it.
//
// Threads     one at a time.
// Fails with  what the tools fail with, the same over every way; over a server also UNAVAILABLE and
//             REQUEST_TIMEOUT.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "data/json/json.h"

namespace cairn {
class Engine;
}

namespace cairn::client {

enum class More { kYes, kNo };

class Client {
 public:
  // Fills the room from its front; 0 ends it.
  using Source = std::function<Result<std::size_t>(std::span<char> room)>;
  using Sink = std::function<Result<void>(ByteView portion)>;

  using RowSink = std::function<Result<More>(const json::Object& row)>;

  virtual ~Client() = default;

  // Runs a tool of the table; its answer is an object.
  virtual Result<json::Value> call(std::string_view tool, const json::Object& arguments) = 0;
  // Runs a tool that answers with rows, and takes them as they come. Its summary; an empty one when
  // the sink had enough.
  virtual Result<json::Object> stream(std::string_view tool, const json::Object& arguments,
                                      const RowSink& sink) = 0;
  // A file of any size, in portions.
  virtual Result<void> read_file(std::string_view node, std::string_view path,
                                 const Sink& sink) = 0;
  virtual Result<json::Value> write_file(std::string_view node, std::string_view path,
                                         const Source& source) = 0;

  // The engine, when the data directory is open in this process.
  virtual Engine* engine() { return nullptr; }
  // Whether paths of this machine mean something where the store is.
  virtual bool same_machine() const { return true; }
};

}  // namespace cairn::client
