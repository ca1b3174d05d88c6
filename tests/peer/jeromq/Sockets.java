// Sockets of JeroMQ for the process that this one is a child of; the contract is
// in remote.py. Compiles against JeroMQ 0.3.6, too.

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import zmq.Ctx;
import zmq.Msg;
import zmq.SocketBase;
import zmq.ZError;
import zmq.ZMQ;

public final class Sockets
{
    private static final int FIELDS_MAX = 10_000;

    // What waiting read ahead, part by part, and the number of whoever sent the last message.
    private static final class Socket
    {
        final SocketBase base;
        final Deque<Msg> early = new ArrayDeque<> ();
        Msg last;

        Socket (SocketBase base)
        {
            this.base = base;
        }
    }

    // What the peer is asked for and cannot do now, as against what is wrong.
    private static final class Nothing extends RuntimeException
    {
        private static final long serialVersionUID = 1;
    }

    private final Ctx context = ZMQ.createContext ();
    private final Map<Integer, Socket> sockets = new HashMap<> ();
    private int next = 1;

    private static String text (byte[] field)
    {
        return new String (field, StandardCharsets.UTF_8);
    }

    private static byte[] field (Object value)
    {
        return String.valueOf (value).getBytes (StandardCharsets.UTF_8);
    }

    private static void check (Socket socket, boolean done)
    {
        if (done)
            return;
        if (socket.base.errno () == ZError.EAGAIN)
            throw new Nothing ();
        throw new IllegalStateException ("errno " + socket.base.errno ());
    }

    private static Msg taken (Socket socket, int flags)
    {
        Msg part = socket.early.isEmpty () ? socket.base.recv (flags) : socket.early.poll ();
        check (socket, part != null);
        return part;
    }

    private static List<byte[]> receive (Socket socket)
    {
        List<byte[]> parts = new ArrayList<> ();
        Msg part = taken (socket, ZMQ.ZMQ_DONTWAIT);
        socket.last = part;
        for (;; part = taken (socket, 0)) {
            parts.add (part.size () == 0 ? new byte[0] : part.data ());
            if (!part.hasMore ())
                return parts;
        }
    }

    // A socket that takes note of its peers in the calls of its user does so here.
    private static void await (Socket socket, int milliseconds)
    {
        int ready = socket.base.getSocketOpt (ZMQ.ZMQ_EVENTS);
        if (milliseconds == 0 || (ready & ZMQ.ZMQ_POLLIN) != 0 || !socket.early.isEmpty ())
            return;
        Object patience = socket.base.getSocketOpt (ZMQ.ZMQ_RCVTIMEO);
        socket.base.setSocketOpt (ZMQ.ZMQ_RCVTIMEO, milliseconds);
        try {
            Msg part = socket.base.recv (0);
            if (part != null)
                socket.early.add (part);
        }
        catch (RuntimeException unable) {
            // It is one that only sends, or that is not to receive now.
        }
        socket.base.setSocketOpt (ZMQ.ZMQ_RCVTIMEO, patience);
    }

    private static void send (Socket socket, int flags, List<byte[]> parts)
    {
        for (int i = 0; i != parts.size (); ++i) {
            int more = i + 1 == parts.size () ? 0 : ZMQ.ZMQ_SNDMORE;
            check (socket, socket.base.send (new Msg (parts.get (i)), flags | more));
        }
    }

    // Old versions bind to any port, too, and do not tell which.
    private static String settled (String endpoint) throws IOException
    {
        if (ZMQ.ZMQ_VERSION_MAJOR >= 4 || !endpoint.endsWith (":*"))
            return endpoint;
        try (ServerSocket free = new ServerSocket (0)) {
            return endpoint.substring (0, endpoint.length () - 1) + free.getLocalPort ();
        }
    }

    private static List<byte[]> attach (Socket socket, String how, String asked) throws IOException
    {
        String endpoint = how.equals ("bind") ? settled (asked) : asked;
        check (socket, how.equals ("bind") ? socket.base.bind (endpoint) : socket.base.connect (endpoint));
        Object end = how.equals ("bind") ? ZMQ.getSocketOptionExt (socket.base, ZMQ.ZMQ_LAST_ENDPOINT) : endpoint;
        return List.of (field (end));
    }

    // Types that came late are numbered otherwise than libzmq's: CHANNEL, PEER,
    // SCATTER and GATHER.
    private static int own (int kind)
    {
        switch (kind) {
            case 20: return 16;
            case 19: return 17;
            case 17: return 19;
            case 16: return 20;
            default: return kind;
        }
    }

    // HELLO_MSG came before libzmq had a number for it.
    private static int ownOption (int option)
    {
        return option == 110 ? 79 : option;
    }

    // What an XPUB_MANUAL is given in answer to a request is the request itself there, with its first byte.
    private static byte[] requested (SocketBase base, int option, byte[] topic)
    {
        boolean asks = option == ZMQ.ZMQ_SUBSCRIBE;
        if (!(asks || option == ZMQ.ZMQ_UNSUBSCRIBE) || base.getSocketOpt (ZMQ.ZMQ_TYPE) != ZMQ.ZMQ_XPUB)
            return topic;
        byte[] request = new byte[topic.length + 1];
        request[0] = (byte) (asks ? 1 : 0);
        System.arraycopy (topic, 0, request, 1, topic.length);
        return request;
    }

    private static void set (Socket socket, int option, String verb, byte[] value)
    {
        SocketBase base = socket.base;
        if (verb.equals ("bytes")) {
            base.setSocketOpt (ownOption (option), requested (base, option, value));
            return;
        }
        int number = Integer.parseInt (text (value));
        base.setSocketOpt (option, number);
        // The old one has a VERBOSER for cancellations alone.
        if (ZMQ.ZMQ_VERSION_MAJOR < 4 && option == 78)
            base.setSocketOpt (ZMQ.ZMQ_XPUB_VERBOSE, number);
    }

    private List<byte[]> open (int kind)
    {
        sockets.put (next, new Socket (ZMQ.socket (context, own (kind))));
        return List.of (field (next++));
    }

    private List<byte[]> served (List<byte[]> asked) throws Exception
    {
        String verb = text (asked.get (0));
        int number = Integer.parseInt (text (asked.get (1)));
        if (verb.equals ("socket"))
            return open (number);
        Socket socket = sockets.get (number);
        List<byte[]> rest = asked.subList (2, asked.size ());
        switch (verb) {
            case "number":
            case "bytes":
                set (socket, Integer.parseInt (text (rest.get (0))), verb, rest.get (1));
                break;
            case "bind":
            case "connect":
                return attach (socket, verb, text (rest.get (0)));
            case "send":
                send (socket, Integer.parseInt (text (rest.get (0))), rest.subList (1, rest.size ()));
                break;
            case "receive":
                return receive (socket);
            case "wait":
                await (socket, Integer.parseInt (text (rest.get (0))));
                break;
            case "close":
                sockets.remove (number).base.close ();
                break;
            default:
                return more (socket, verb, rest);
        }
        return List.of ();
    }

    // What only later versions have.
    @SuppressWarnings ("unchecked")
    private static List<byte[]> more (Socket socket, String verb, List<byte[]> rest) throws Exception
    {
        Class<?> drafts = Class.forName ("Drafts");
        return (List<byte[]>) drafts.getMethod ("served", SocketBase.class, Msg.class, String.class, List.class)
          .invoke (null, socket.base, socket.last, verb, rest);
    }

    private List<byte[]> answer (List<byte[]> asked)
    {
        List<byte[]> answer = new ArrayList<> ();
        try {
            answer.add (field ("done"));
            answer.addAll (served (asked));
        }
        catch (Nothing nothing) {
            return List.of (field ("nothing"));
        }
        catch (Exception wrong) {
            return List.of (field ("wrong"), field (wrong + " " + Arrays.toString (wrong.getStackTrace ())));
        }
        return answer;
    }

    private static List<byte[]> read (DataInputStream from) throws IOException
    {
        int count = from.readInt ();
        if (count > FIELDS_MAX)
            throw new IOException (count + " fields");
        List<byte[]> fields = new ArrayList<> ();
        for (int i = 0; i != count; ++i) {
            fields.add (new byte[from.readInt ()]);
            from.readFully (fields.get (i));
        }
        return fields;
    }

    public static void main (String[] arguments) throws IOException
    {
        DataInputStream from = new DataInputStream (new BufferedInputStream (System.in));
        DataOutputStream to = new DataOutputStream (new BufferedOutputStream (System.out));
        Sockets here = new Sockets ();
        try {
            for (;;) {
                List<byte[]> fields = here.answer (read (from));
                to.writeInt (fields.size ());
                for (byte[] each : fields) {
                    to.writeInt (each.length);
                    to.write (each);
                }
                to.flush ();
            }
        }
        catch (EOFException end) {
            System.exit (0);
        }
    }
}
