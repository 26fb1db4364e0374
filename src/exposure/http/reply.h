// Sending one answer: as a whole, made while it is sent, or as events.
//
// Threads     its connection's io thread only.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "exposure/http/head.h"
#include "exposure/http/response_head.h"
#include "exposure/http/shared.h"
#include "exposure/http/wire.h"

namespace cairn::http {

class EventQueue;

class Reply final {
 public:
  enum class Outcome { kSent, kBroken };

  Reply(Wire& wire, Shared& shared) : wire_(wire), shared_(shared) {}

  // `keep_alive` may become false: some answers end with the connection. A body that cannot be made
  // changes `response` to what was sent instead.
  // Bytes of events that wait to be taken are counted in `held`.
  Task<Outcome> send(Response& response, const RequestHead& request, std::string_view date,
                     bool& keep_alive, InFlight::Hold& held);
  // Ends the events that are being sent, if any.
  void end_events();

 private:
  Task<Outcome> send_whole(Response& response, const RequestHead& request, HeadChoices choices);
  Task<void> encode(Response& response, const RequestHead& request, HeadChoices& choices);
  Task<Outcome> send_streamed(Response& response, const RequestHead& request, HeadChoices choices);
  Task<Outcome> send_portions(StreamedBody& body, Bytes portion, bool chunked);
  Task<Outcome> send_events(Response& response, const RequestHead& request, HeadChoices choices,
                            InFlight::Hold& held);
  Task<Outcome> pass_events_on(EventQueue& queue, bool chunked, InFlight::Hold& held);
  Task<Outcome> write(ByteView body);
  Task<Outcome> write_portion(ByteView portion, bool chunked);
  Task<Result<Bytes>> next_portion(StreamedBody& body);
  void drop(std::unique_ptr<BodySource> source);

  Wire& wire_;
  Shared& shared_;
  std::string out_;  // the head, or the line before a chunk
  std::shared_ptr<EventStream> events_;
};

}  // namespace cairn::http
