// Sockets of jszmq for the process that this one is a child of; the contract is in remote.py. What it is told to wait
// for it waits for in the loop of events, in which its sockets work.
"use strict";

const net = require("net");
// What is installed is below build/.
const zmq = require(require.resolve("jszmq", { paths: [process.argv[2]] }));

const FIELDS_MAX = 10000;
const KINDS = {
  0: "pair", 1: "pub", 2: "sub", 3: "req", 4: "rep", 5: "dealer", 6: "router", 7: "pull", 8: "push", 9: "xpub", 10: "xsub",
};
const ROUTING_ID = 5, SUBSCRIBE = 6, UNSUBSCRIBE = 7, LINGER = 17, RCVTIMEO = 27, SNDTIMEO = 28, XPUB_VERBOSE = 40, XPUB_NODROP = 69;
const ROUTER = 6;
// A ROUTER of theirs puts an octet in front of a name: this one when it is the peer's own.
const OWN = Buffer.from([0]);

const sockets = new Map();
let next = 0;

function bytesOf(part) {
  return Buffer.isBuffer(part) ? part : Buffer.from(part);
}

// The peer's own name as elsewhere, and back; others stay as they are.
function outerName(name) {
  return name[0] === OWN[0] ? name.subarray(1) : name;
}

function innerName(name, names) {
  return names.has(name.toString("hex")) ? name : Buffer.concat([OWN, name]);
}

class Socket {
  constructor(kind) {
    this.kind = kind;
    this.given = new Set();
    this.it = zmq.socket(KINDS[kind]);
    this.messages = [];
    this.woken = () => {};
    this.it.on("message", (...parts) => {
      const message = parts.map(bytesOf);
      if (kind === ROUTER) {
        const name = message[0];
        message[0] = outerName(name);
        if (message[0] === name) this.given.add(name.toString("hex"));
      }
      this.messages.push(message);
      this.woken();
    });
  }

  wait(milliseconds) {
    if (this.messages.length > 0) return Promise.resolve();
    return new Promise((resolve) => {
      const patience = setTimeout(resolve, milliseconds);
      this.woken = () => {
        clearTimeout(patience);
        resolve();
      };
    });
  }

  send(parts) {
    if (this.kind === ROUTER) parts[0] = innerName(parts[0], this.given);
    this.it.send(parts);
  }

  set(option, value) {
    switch (option) {
      case ROUTING_ID:
        this.it.options.routingId = value.toString();
        break;
      case SUBSCRIBE:
        this.it.subscribe(value);
        break;
      case UNSUBSCRIBE:
        this.it.unsubscribe(value);
        break;
      case XPUB_VERBOSE:
        this.it.options.xpubVerbose = true;
        break;
      case XPUB_NODROP: // It drops nothing.
      case LINGER:
      case RCVTIMEO:
      case SNDTIMEO:
        break;
      default:
        throw new Error(`no option ${option}`);
    }
  }
}

// It does not tell which port it got.
function settled(endpoint) {
  if (!endpoint.endsWith(":*")) return Promise.resolve(endpoint);
  return new Promise((resolve) => {
    const free = net.createServer();
    free.listen(0, "127.0.0.1", () => {
      const { port } = free.address();
      free.close(() => resolve(endpoint.replace(/\*$/, String(port))));
    });
  });
}

async function served([verb, number, ...rest]) {
  const index = Number(number.toString());
  if (verb.toString() === "socket") {
    sockets.set(++next, new Socket(index));
    return [String(next)];
  }
  const socket = sockets.get(index);
  switch (verb.toString()) {
    case "number":
    case "bytes":
      socket.set(Number(rest[0].toString()), rest[1]);
      return [];
    case "bind": {
      const endpoint = await settled(rest[0].toString());
      socket.it.bind(endpoint);
      return [endpoint];
    }
    case "connect":
      socket.it.connect(rest[0].toString());
      return [rest[0]];
    case "send":
      socket.send(rest.slice(1));
      return [];
    case "receive":
      // What has come is told in the loop.
      await new Promise(setImmediate);
      return socket.messages.length > 0 ? socket.messages.shift() : null;
    case "wait":
      await socket.wait(Number(rest[0].toString()));
      return [];
    case "close":
      socket.it.close();
      sockets.delete(index);
      return [];
    default:
      throw new Error(`no verb ${verb}`);
  }
}

async function answer(asked) {
  try {
    const found = await served(asked);
    return found === null ? ["nothing"] : ["done", ...found];
  } catch (wrong) {
    return ["wrong", String(wrong)];
  }
}

function length(of) {
  const octets = Buffer.alloc(4);
  octets.writeUInt32BE(of);
  return octets;
}

function say(fields) {
  const said = fields.map(bytesOf);
  process.stdout.write(Buffer.concat([length(said.length), ...said.flatMap((each) => [length(each.length), each])]));
}

// One list of fields off the front; null while it is not whole.
function taken(input) {
  if (input.length < 4) return null;
  const count = input.readUInt32BE(0);
  if (count > FIELDS_MAX) throw new Error(`${count} fields`);
  let at = 4;
  const fields = [];
  for (let i = 0; i < count; ++i) {
    if (input.length < at + 4) return null;
    const end = at + 4 + input.readUInt32BE(at);
    if (input.length < end) return null;
    fields.push(input.subarray(at + 4, end));
    at = end;
  }
  return { fields, rest: input.subarray(at) };
}

async function main() {
  let input = Buffer.alloc(0);
  for await (const some of process.stdin) {
    input = Buffer.concat([input, some]);
    for (let one = taken(input); one !== null; one = taken(input)) {
      input = one.rest;
      say(await answer(one.fields));
    }
  }
  process.exit(0);
}

// A dial that is refused is an error that its sockets do not take; they dial again.
process.on("uncaughtException", () => {});
main();
