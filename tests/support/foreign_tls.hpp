// A peer that speaks TLS and is none of ours: OpenSSL by itself, over any stream.
// Thread rule: one thread.
#pragma once

#include <array>
#include <openssl/ssl.h>
#include <span>
#include <string>
#include <string_view>

#include "base/stream.hpp"

namespace zlink::test {

class foreign_dialer
{
  public:
    explicit foreign_dialer (base::stream &stream)
      : stream_ (stream), settings_ (SSL_CTX_new (TLS_client_method ())), ssl_ (SSL_new (settings_)),
        in_ (BIO_new (BIO_s_mem ())), out_ (BIO_new (BIO_s_mem ()))
    {
        SSL_set_bio (ssl_, in_, out_);
        SSL_set_connect_state (ssl_);
    }
    ~foreign_dialer ()
    {
        SSL_free (ssl_);
        SSL_CTX_free (settings_);
    }
    foreign_dialer (const foreign_dialer &) = delete;
    foreign_dialer &operator= (const foreign_dialer &) = delete;

    void shake () { SSL_do_handshake (ssl_); }
    [[nodiscard]] bool ask_for_new_keys () { return SSL_key_update (ssl_, SSL_KEY_UPDATE_REQUESTED) == 1; }
    [[nodiscard]] bool write (std::string_view text)
    {
        return SSL_write (ssl_, text.data (), static_cast<int> (text.size ()))
               == static_cast<int> (text.size ());
    }
    [[nodiscard]] std::string read ()
    {
        std::array<char, 4096> text;
        const int size = SSL_read (ssl_, text.data (), static_cast<int> (text.size ()));
        return size > 0 ? std::string (text.data (), static_cast<std::size_t> (size)) : std::string ();
    }
    // What it has to say goes out, and what has come is taken.
    void carry ()
    {
        std::array<std::byte, 65536> buffer;
        const int size = BIO_read (out_, buffer.data (), static_cast<int> (buffer.size ()));
        const base::bytes_view made (buffer.data (), size > 0 ? static_cast<std::size_t> (size) : 0);
        if (!made.empty ())
            (void)stream_.write (std::span (&made, 1));
        const base::bytes_span room (buffer);
        if (const auto got = stream_.read (std::span (&room, 1)); got.ok ())
            BIO_write (in_, buffer.data (), static_cast<int> (got.value ()));
    }

  private:
    base::stream &stream_;
    SSL_CTX *settings_;
    SSL *ssl_;
    BIO *in_;
    BIO *out_;
};

}  // namespace zlink::test
