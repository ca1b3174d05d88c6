// A ROUTER at an address, beside the services: one that says what it likes, or nothing.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "service/option_numbers.hpp"
#include "socket/facade.hpp"
#include "socket/options.hpp"

namespace zlink::service::test {

class bound_socket
{
  public:
    bound_socket (void *context,
                  std::string_view place,
                  socket::socket_type type = socket::socket_type::router)
      : socket_ (socket::open (context, static_cast<int> (type)).value ())
    {
        EXPECT_TRUE (socket::bind (socket_, place).ok ());
        std::array<char, 256> text{};
        std::size_t size = text.size ();
        EXPECT_TRUE (socket::get_option (socket_, number_of_last_endpoint, text.data (), &size).ok ());
        endpoint_ = text.data ();
    }
    ~bound_socket () { (void)socket::close (socket_); }
    bound_socket (const bound_socket &) = delete;
    bound_socket &operator= (const bound_socket &) = delete;

    [[nodiscard]] void *handle () const { return socket_; }
    [[nodiscard]] const std::string &endpoint () const { return endpoint_; }

  private:
    void *socket_;
    std::string endpoint_;
};

}  // namespace zlink::service::test
