// What Sockets.java is asked for that old versions of JeroMQ have no words for.

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import zmq.Msg;
import zmq.SocketBase;

public final class Drafts
{
    private Drafts () {}

    private static String text (byte[] field)
    {
        return new String (field, StandardCharsets.UTF_8);
    }

    private static byte[] field (Object value)
    {
        return value == null ? new byte[0] : value.toString ().getBytes (StandardCharsets.UTF_8);
    }

    private static List<byte[]> properties (Msg last, List<byte[]> names)
    {
        List<byte[]> found = new ArrayList<> ();
        for (byte[] name : names)
            found.add (field (last.getMetadata () == null ? null : last.getMetadata ().get (text (name))));
        return found;
    }

    public static List<byte[]> served (SocketBase socket, Msg last, String verb, List<byte[]> rest)
    {
        switch (verb) {
            case "properties":
                return properties (last, rest);
            case "sender":
                return List.of (field (Integer.toUnsignedString (last.getRoutingId ())));
            case "group":
                return List.of (field (last.getGroup ()));
            case "send_to":
            case "send_group":
                Msg message = new Msg (rest.get (1));
                if (verb.equals ("send_to"))
                    message.setRoutingId (Integer.parseUnsignedInt (text (rest.get (0))));
                else
                    message.setGroup (text (rest.get (0)));
                if (!socket.send (message, 0))
                    throw new IllegalStateException ("errno " + socket.errno ());
                return List.of ();
            case "join":
                return List.of (field (socket.join (text (rest.get (0)))));
            case "leave":
                return List.of (field (socket.leave (text (rest.get (0)))));
            case "connect_peer":
                return List.of (field (Integer.toUnsignedString (socket.connectPeer (text (rest.get (0))))));
            default:
                throw new IllegalArgumentException (verb);
        }
    }
}
