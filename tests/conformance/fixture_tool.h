// One tool of the fixture server, and the words its results are made of.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/json/json.h"
#include "exposure/mcp/exchange.h"
#include "exposure/mcp/service.h"

namespace cairn::conformance {

using Call =
    std::function<mcp::Rpc<mcp::ToolOutcome>(mcp::Exchange& exchange, const json::Object& args)>;

struct FixtureTool {
  std::string name;
  std::string description;
  json::Object input_schema;
  mcp::Manner manner;
  Call call;
};

// The tools, by what they show.
std::vector<FixtureTool> content_tools();     // every kind of content, schemas and headers
std::vector<FixtureTool> talking_tools();     // log messages, progress, a stream that is closed
std::vector<FixtureTool> asking_tools();      // what servers ask of clients
std::vector<FixtureTool> round_trip_tools();  // the same in several rounds, with state

inline constexpr mcp::Manner kQuick{.quick = true};
inline constexpr mcp::Manner kTalks{.talks = true};

// REQUIRES: the text is a JSON object.
json::Object object_of(std::string_view text);
json::Object no_arguments();

// Blocks of content, for tools and prompts.
json::Object text_block(std::string_view text);
json::Object image_block();
json::Object audio_block();
json::Object resource_block(std::string_view uri, std::string_view type, std::string_view text);

mcp::ToolOutcome says(std::string_view text);

// A picture of one red pixel (image/png) and a millisecond of silence (audio/wav), in base64.
inline constexpr std::string_view kPixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
inline constexpr std::string_view kSilence =
    "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==";

}  // namespace cairn::conformance
