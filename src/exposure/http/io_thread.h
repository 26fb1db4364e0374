// A thread with an event loop, the connections that live on it, and its share of the listening.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <unordered_map>

#include <boost/asio/executor_work_guard.hpp>

#include "exposure/http/connection.h"
#include "exposure/http/shared.h"

namespace cairn::http {

class IoThread final : public ConnectionHost {
 public:
  explicit IoThread(Shared& shared);
  // Every connection is over by now.
  ~IoThread();

  // Before start().
  asio::io_context& io() { return io_; }
  void listen(Acceptor acceptor) { acceptor_ = std::move(acceptor); }
  void listen(LocalAcceptor acceptor) { local_acceptor_ = std::move(acceptor); }
  void start();

  // Any thread.
  void stop_connections();
  void abort_connections();

  std::string_view date() override;

 private:
  Task<void> accept();
  Task<void> accept_local();
  Task<void> pause(error_code error);
  Task<void> tick();
  Task<void> serve(Connection* connection);
  void take(Socket socket, const std::string& remote, Peer peer);
  void turn_away(Socket& socket);
  // Ends those connections that have waited longest for a first sign of who is there. False: there
  // is none.
  bool make_room();
  int count_connections(int change);

  Shared& shared_;
  asio::io_context io_{1};
  asio::executor_work_guard<Executor> work_;
  Acceptor acceptor_;
  LocalAcceptor local_acceptor_;
  Timer pause_;
  Timer ticker_;
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
  bool ticking_ = false;
  std::int64_t date_second_ = 0;
  std::string date_;
  std::thread thread_;
};

}  // namespace cairn::http
