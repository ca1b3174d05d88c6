/* A program as libzmq's users write them: sends itself a message and says
 * which library file it ran on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>
#include <zmq_utils.h>

int main (void)
{
    char endpoint[256], text[8] = "";
    size_t endpoint_size = sizeof endpoint;
    int major, minor, patch, size;
    Dl_info from;
    void *context = zmq_ctx_new ();
    void *pull = zmq_socket (context, ZMQ_PULL);
    void *push = zmq_socket (context, ZMQ_PUSH);

    if (zmq_bind (pull, "tcp://127.0.0.1:*") != 0
        || zmq_getsockopt (pull, ZMQ_LAST_ENDPOINT, endpoint, &endpoint_size) != 0
        || zmq_connect (push, endpoint) != 0 || zmq_send (push, "hello", 5, 0) != 5) {
        fprintf (stderr, "%s\n", zmq_strerror (zmq_errno ()));
        return 1;
    }
    size = zmq_recv (pull, text, sizeof text, 0);
    zmq_version (&major, &minor, &patch);
    if (dladdr ((void *)zmq_recv, &from) == 0 || size != 5 || memcmp (text, "hello", 5) != 0)
        return 1;
    printf ("%d.%d.%d %s\n", major, minor, patch, from.dli_fname);
    zmq_close (push);
    zmq_close (pull);
    return zmq_ctx_term (context);
}
