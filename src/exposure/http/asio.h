// Asio as this module uses it. Only for this module's sources: everybody else sees http.h,
// server.h, client.h and uri.h.
//
// Concrete executor types and tuples instead of exceptions: the usual spelling costs nearly twice
// as much per request.
#pragma once

#include <chrono>
#include <tuple>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>

namespace cairn::http {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

using Executor = asio::io_context::executor_type;
using Local = asio::local::stream_protocol;
// Of TCP, or of this machine alone.
using Socket = asio::basic_stream_socket<asio::generic::stream_protocol, Executor>;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;
using LocalAcceptor = asio::basic_socket_acceptor<Local, Executor>;
using SteadyClock = std::chrono::steady_clock;
using Timer = asio::basic_waitable_timer<SteadyClock, asio::wait_traits<SteadyClock>, Executor>;

template <typename T>
using Task = asio::awaitable<T, Executor>;

inline constexpr asio::as_tuple_t<asio::use_awaitable_t<Executor>> use_task{};

}  // namespace cairn::http
