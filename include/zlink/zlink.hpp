// SPDX-License-Identifier: MPL-2.0
//
// The C++20 interface of zlink, all of it. Header-only over zlink.h: link with
// libzlink.
#pragma once

#include <zlink/context.hpp>
#include <zlink/error.hpp>
#include <zlink/loop.hpp>
#include <zlink/message.hpp>
#include <zlink/options.hpp>
#include <zlink/poller.hpp>
#include <zlink/sockets.hpp>
