// Event loop of an agent, and the types of sockets and timers that use it. One thread runs a loop.
// All objects name the loop's own executor type, which is faster than a type-erased executor.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <chrono>

namespace emu::wire {

using EventLoop = boost::asio::io_context;

using TcpSocket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, EventLoop::executor_type>;
using TcpAcceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, EventLoop::executor_type>;
// For any address family.
using StreamSocket =
    boost::asio::basic_stream_socket<boost::asio::generic::stream_protocol, EventLoop::executor_type>;
using Pipe = boost::asio::posix::basic_stream_descriptor<EventLoop::executor_type>;
using Timer = boost::asio::basic_waitable_timer<
    std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, EventLoop::executor_type>;

}  // namespace emu::wire
