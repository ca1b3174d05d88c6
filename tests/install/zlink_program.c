/* A program over zlink.h: sends itself a message and says which file the
 * library's code came from. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <zlink/zlink.h>

int main (void)
{
    char text[8] = "";
    int major, minor, patch, size;
    Dl_info from;
    void *context = zlink_ctx_new ();
    void *pull = zlink_socket (context, ZLINK_PULL);
    void *push = zlink_socket (context, ZLINK_PUSH);

    if (zlink_bind (pull, "inproc://installed") != 0 || zlink_connect (push, "inproc://installed") != 0
        || zlink_send (push, "hello", 5, 0) != 5) {
        fprintf (stderr, "%s\n", zlink_strerror (zlink_errno ()));
        return 1;
    }
    size = zlink_recv (pull, text, sizeof text, 0);
    zlink_version (&major, &minor, &patch);
    if (dladdr ((void *)zlink_recv, &from) == 0 || size != 5 || memcmp (text, "hello", 5) != 0)
        return 1;
    printf ("%d.%d.%d %s\n", major, minor, patch, from.dli_fname);
    zlink_close (push);
    zlink_close (pull);
    return zlink_ctx_term (context);
}
