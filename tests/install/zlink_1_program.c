/* A program as one for zlink 1.x looks: its headers by their old names, an
 * option of then, a poll, a stopwatch and a thread. Says which file the
 * library's code came from. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <zlink.h>
#include <zlink_utils.h>

static void greet (void *push) { zlink_send (push, "hello", 5, 0); }

int main (void)
{
    char text[8] = "";
    int major, minor, patch, wait_ms = 100, failed;
    Dl_info from;
    void *context = zlink_ctx_new ();
    void *pull = zlink_socket (context, ZLINK_PULL);
    void *push = zlink_socket (context, ZLINK_PUSH);
    void *watch = zlink_stopwatch_start (), *thread;
    zlink_pollitem_t item = {pull, 0, ZLINK_POLLIN, 0};

    failed = zlink_setsockopt (push, ZLINK_REQUEST_TIMEOUT, &wait_ms, sizeof wait_ms) != 0
             || zlink_bind (pull, "inproc://installed") != 0
             || zlink_connect (push, "inproc://installed") != 0;
    thread = zlink_threadstart (greet, push);
    failed = failed || zlink_poll (&item, 1, 10000) != 1 || zlink_recv (pull, text, sizeof text, 0) != 5
             || memcmp (text, "hello", 5) != 0;
    zlink_threadclose (thread);
    zlink_stopwatch_stop (watch);
    zlink_version (&major, &minor, &patch);
    if (failed || dladdr ((void *)zlink_recv, &from) == 0)
        return 1;
    printf ("%d.%d.%d %s\n", major, minor, patch, from.dli_fname);
    zlink_close (push);
    zlink_close (pull);
    return zlink_ctx_term (context);
}
