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

class bound_router
{
  public:
    bound_router (void *context, std::string_view place)
      : socket_ (socket::open (context, static_cast<int> (socket::socket_type::router)).value ())
    {
        EXPECT_TRUE (socket::bind (socket_, place).ok ());
        std::array<char, 256> text{};
        std::size_t size = text.size ();
        EXPECT_TRUE (socket::get_option (socket_, number_of_last_endpoint, text.data (), &size).ok ());
        endpoint_ = text.data ();
    }
    ~bound_router () { (void)socket::close (socket_); }
    bound_router (const bound_router &) = delete;
    bound_router &operator= (const bound_router &) = delete;

    [[nodiscard]] void *handle () const { return socket_; }
    [[nodiscard]] const std::string &endpoint () const { return endpoint_; }

  private:
    void *socket_;
    std::string endpoint_;
};

}  // namespace zlink::service::test
