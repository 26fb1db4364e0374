// The parts that all threads and connections of one server share.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>

#include <boost/asio/ssl/context.hpp>

#include "base/guarded.h"
#include "base/workers.h"
#include "exposure/http/in_flight.h"
#include "exposure/http/peers.h"
#include "exposure/http/request_id.h"
#include "exposure/http/server.h"

namespace cairn::http {

struct Shared {
  Shared(const ServerOptions& with, Handler& asks, Observer& tells)
      : options(with),
        handler(asks),
        observer(tells),
        in_flight(with.in_flight),
        peers(with.max_connections_each),
        workers(std::max(1u, with.worker_threads), "http-worker") {}

  const ServerOptions options;
  Handler& handler;
  Observer& observer;
  // Null: plain. Replaced when its files are read again; a connection keeps what it began with.
  Guarded<std::shared_ptr<boost::asio::ssl::context>> tls;
  std::atomic<bool> stopping = false;
  InFlight in_flight;
  Peers peers;
  RequestIds ids;
  Guarded<int> open;  // connections
  std::condition_variable closed_one;
  Workers workers;
};

}  // namespace cairn::http
