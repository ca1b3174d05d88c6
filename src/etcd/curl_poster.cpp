#include "etcd/curl_poster.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <utility>

#include <curl/curl.h>

namespace zlink::etcd {

namespace {

constexpr long connect_ms_max = 1'000;
constexpr int turn_ms_max = 10'000;  // it is woken before

struct easy_end
{
    void operator() (CURL *which) const noexcept { curl_easy_cleanup (which); }
};
struct multi_end
{
    void operator() (CURLM *which) const noexcept { curl_multi_cleanup (which); }
};
struct list_end
{
    void operator() (curl_slist *which) const noexcept { curl_slist_free_all (which); }
};

// Where an answer goes; what is thrown meanwhile waits for curl to return.
struct sink
{
    std::string *body = nullptr;
    const poster::reader *take = nullptr;
    bool out_of_memory = false;
};

std::size_t take_bytes (char *bytes, std::size_t one, std::size_t count, void *to) noexcept
{
    sink &into = *static_cast<sink *> (to);
    const std::string_view text (bytes, one * count);
    try {
        if (*into.take)
            return (*into.take) (text) ? text.size () : 0;
        if (into.body->size () + text.size () > body_bytes_max)
            return 0;
        into.body->append (text);
        return text.size ();
    } catch (const std::bad_alloc &) {
        into.out_of_memory = true;
        return 0;
    }
}

class curl_poster final : public poster
{
  public:
    curl_poster () : multi_ (curl_multi_init ()), easy_ (curl_easy_init ()) {}
    [[nodiscard]] bool usable () const noexcept { return multi_ != nullptr && easy_ != nullptr; }

    posted post (const std::string &host,
                 const std::string &path,
                 const std::string &body,
                 base::time_ns longest,
                 const reader &take) override
    {
        posted answer;
        sink into{.body = &answer.body, .take = &take};
        const std::string url = "http://" + host + path;
        const std::unique_ptr<curl_slist, list_end> head (
          curl_slist_append (nullptr, "Content-Type: application/json"));
        if (head == nullptr || !set_up (url, body, longest, into, head.get ()))
            throw std::bad_alloc ();
        const CURLcode outcome = run ();
        if (into.out_of_memory)
            throw std::bad_alloc ();
        long status = 0, sent = 0;
        char *our_host = nullptr;
        (void)curl_easy_getinfo (easy_.get (), CURLINFO_RESPONSE_CODE, &status);
        (void)curl_easy_getinfo (easy_.get (), CURLINFO_REQUEST_SIZE, &sent);
        (void)curl_easy_getinfo (easy_.get (), CURLINFO_LOCAL_IP, &our_host);
        answer.was_sent = sent > 0;
        if (outcome == CURLE_OK)
            answer.status = static_cast<int> (status);
        else
            answer.why = curl_easy_strerror (outcome);
        if (our_host != nullptr)
            answer.our_host = our_host;
        return answer;
    }
    void stop () noexcept override
    {
        stopped_ = true;
        (void)curl_multi_wakeup (multi_.get ());
    }
    void resume () noexcept override { stopped_ = false; }

  private:
    bool set_up (const std::string &url,
                 const std::string &body,
                 base::time_ns longest,
                 sink &into,
                 curl_slist *head) noexcept
    {
        CURL *const to = easy_.get ();
        curl_easy_reset (to);
        const long longest_ms =
          longest == 0 ? 0 : static_cast<long> (std::max<base::time_ns> (longest / base::ns_per_ms, 1));
        bool well = curl_easy_setopt (to, CURLOPT_URL, url.c_str ()) == CURLE_OK;
        well = well && curl_easy_setopt (to, CURLOPT_PROXY, "") == CURLE_OK;
        well = well && curl_easy_setopt (to, CURLOPT_PROTOCOLS_STR, "http") == CURLE_OK;
        well = well && curl_easy_setopt (to, CURLOPT_HTTPHEADER, head) == CURLE_OK;
        well = well && curl_easy_setopt (to, CURLOPT_POSTFIELDS, body.c_str ()) == CURLE_OK;
        well =
          well && curl_easy_setopt (to, CURLOPT_POSTFIELDSIZE, static_cast<long> (body.size ())) == CURLE_OK;
        well = well && curl_easy_setopt (to, CURLOPT_NOSIGNAL, 1L) == CURLE_OK;
        well = well && curl_easy_setopt (to, CURLOPT_TCP_KEEPALIVE, 1L) == CURLE_OK;
        well = well && curl_easy_setopt (to, CURLOPT_CONNECTTIMEOUT_MS, connect_ms_max) == CURLE_OK;
        well = well && curl_easy_setopt (to, CURLOPT_TIMEOUT_MS, longest_ms) == CURLE_OK;
        well = well && curl_easy_setopt (to, CURLOPT_WRITEFUNCTION, &take_bytes) == CURLE_OK;
        return well && curl_easy_setopt (to, CURLOPT_WRITEDATA, &into) == CURLE_OK;
    }

    CURLcode run () noexcept
    {
        if (curl_multi_add_handle (multi_.get (), easy_.get ()) != CURLM_OK)
            return CURLE_OUT_OF_MEMORY;
        CURLcode outcome = CURLE_ABORTED_BY_CALLBACK;
        int under_way = 1;
        while (!stopped_ && under_way > 0) {
            if (curl_multi_perform (multi_.get (), &under_way) != CURLM_OK)
                break;
            if (under_way > 0 && !stopped_)
                (void)curl_multi_poll (multi_.get (), nullptr, 0, turn_ms_max, nullptr);
        }
        int left = 0;
        while (const CURLMsg *const told = curl_multi_info_read (multi_.get (), &left))
            if (told->msg == CURLMSG_DONE)
                outcome = told->data.result;
        (void)curl_multi_remove_handle (multi_.get (), easy_.get ());
        return outcome;
    }

    const std::unique_ptr<CURLM, multi_end> multi_;
    const std::unique_ptr<CURL, easy_end> easy_;
    std::atomic<bool> stopped_{false};
};

}  // namespace

std::unique_ptr<poster> make_curl_poster () noexcept
{
    // Once for the process, and never undone: others may use it too.
    static const bool ready = curl_global_init (CURL_GLOBAL_ALL) == CURLE_OK;
    std::unique_ptr<curl_poster> made (new (std::nothrow) curl_poster);
    return ready && made != nullptr && made->usable () ? std::move (made) : nullptr;
}

}  // namespace zlink::etcd
