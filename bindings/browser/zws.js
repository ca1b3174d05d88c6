// Sockets of ZeroMQ in a page: ZWS 2.0 (RFC 45) over the browser's own WebSocket, for PUB, SUB, REQ, REP, DEALER and ROUTER.
// No dependencies; an ES module. See README.md.
//
// A page can only dial, so a socket here connects, to any number of endpoints, and dials again when a connection ends. It
// offers the protocol "ZWS2.0", whose mechanism is NULL: a browser does not let a page offer names with a slash.
//
// A message is an array of parts. A part that is sent is a string (UTF-8), an ArrayBuffer or a view of one; a part that was
// received is a Uint8Array, and text() makes a string of it.

const LAST = 0, MORE = 1;
const SUBSCRIBE = 1, CANCEL = 0;
const REDIAL_FIRST_MS = 100, REDIAL_MAX_MS = 5000;
const QUEUE_MAX = 1000; // messages; of each connection, and of those that wait for one
const PARTS_MAX = 1000;
// A page may say 1000, and from 3000 on what it likes.
const NORMAL_CLOSE = 1000, PROTOCOL_ERROR = 3002;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

// The string that a part is. Throws TypeError if it is none.
export function text(part) {
  return decoder.decode(part);
}

function bytes(part) {
  if (typeof part === "string") return encoder.encode(part);
  if (part instanceof ArrayBuffer) return new Uint8Array(part);
  if (ArrayBuffer.isView(part)) return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
  throw new TypeError("a part is a string, an ArrayBuffer or a view of one");
}

function message(parts) {
  const all = (Array.isArray(parts) ? parts : [parts]).map(bytes);
  if (all.length === 0) throw new RangeError("a message has at least one part");
  return all;
}

function framed(flag, part) {
  const frame = new Uint8Array(1 + part.length);
  frame[0] = flag;
  frame.set(part, 1);
  return frame;
}

function startsWith(part, prefix) {
  return part.length >= prefix.length && prefix.every((octet, index) => part[index] === octet);
}

function key(part) {
  return Array.from(part, (octet) => octet.toString(16).padStart(2, "0")).join("");
}

// One endpoint: its connection, and what waits for the next. It belongs to one socket.
class Connection {
  constructor(socket, url) {
    this.socket = socket;
    this.url = url;
    this.ready = false; // both have said their names
    this.peer = null; // the name it is known by, while it is ready
    this.waiting = []; // messages, until it is ready
    this.parts = []; // of the message that is coming
    this.redialMs = REDIAL_FIRST_MS;
    this.timer = null;
    this.dial();
  }

  dial() {
    this.timer = null;
    const web = new WebSocket(this.url, ["ZWS2.0"]);
    web.binaryType = "arraybuffer";
    web.onopen = () => web.send(framed(LAST, this.socket.identity));
    web.onmessage = (event) => this.take(event.data);
    web.onclose = () => this.lost();
    this.web = web;
  }

  take(data) {
    if (!(data instanceof ArrayBuffer)) return this.refuse("text");
    const frame = new Uint8Array(data);
    if (frame.length === 0 || frame[0] > MORE) return this.refuse("flags");
    const part = frame.subarray(1);
    if (!this.ready) return this.begin(part);
    this.parts.push(part);
    if (this.parts.length > PARTS_MAX) return this.refuse("too many parts");
    if (frame[0] === LAST) {
      const whole = this.parts;
      this.parts = [];
      this.socket.arrived(this, whole);
    }
  }

  begin(name) {
    this.ready = true;
    this.redialMs = REDIAL_FIRST_MS;
    // Who has no name gets one that begins with a zero, as no name of its own may.
    this.peer = name.length > 0 ? name.slice() : crypto.getRandomValues(new Uint8Array(5)).fill(0, 0, 1);
    this.socket.began(this);
    for (const parts of this.waiting.splice(0)) this.put(parts);
  }

  put(parts) {
    parts.forEach((part, index) => this.web.send(framed(index + 1 < parts.length ? MORE : LAST, part)));
  }

  // False when it was not taken: nobody is there, and as much waits as may.
  send(parts) {
    if (this.ready) this.put(parts);
    else if (this.waiting.length < QUEUE_MAX) this.waiting.push(parts);
    else return false;
    return true;
  }

  refuse(reason) {
    this.web.close(PROTOCOL_ERROR, reason);
  }

  lost() {
    const was = this.ready;
    this.ready = false;
    this.parts = [];
    if (was) this.socket.ended(this);
    this.peer = null;
    if (this.socket.closed) return;
    this.timer = setTimeout(() => this.dial(), this.redialMs);
    this.redialMs = Math.min(this.redialMs * 2, REDIAL_MAX_MS);
  }

  close() {
    clearTimeout(this.timer);
    this.web.onopen = this.web.onmessage = this.web.onclose = null;
    this.web.close(NORMAL_CLOSE);
  }
}

// What all types share. onconnect (url) and ondisconnect (url) may be set.
class Socket {
  // options.identity: the name that a ROUTER knows this socket by; none by default.
  constructor(options = {}) {
    this.identity = bytes(options.identity ?? "");
    this.connections = [];
    this.closed = false;
    this.onconnect = null;
    this.ondisconnect = null;
    this.early = []; // messages that nobody has asked for yet
    this.askers = []; // who waits for one
    this.turn = 0;
  }

  // url: ws://host:port/path, or wss://.
  connect(url) {
    if (this.closed) throw new Error("the socket is closed");
    this.connections.push(new Connection(this, url));
  }

  // Who waits to receive is told with an Error.
  close() {
    this.closed = true;
    this.connections.splice(0).forEach((each) => each.close());
    this.askers.splice(0).forEach((each) => each.reject(new Error("the socket was closed")));
  }

  // The next message, in time.
  receive() {
    if (this.early.length > 0) return Promise.resolve(this.early.shift());
    if (this.closed) return Promise.reject(new Error("the socket is closed"));
    return new Promise((resolve, reject) => this.askers.push({ resolve, reject }));
  }

  // for await (const parts of socket): until it is closed.
  async *[Symbol.asyncIterator]() {
    while (!this.closed) yield await this.receive();
  }

  deliver(parts) {
    if (this.askers.length > 0) this.askers.shift().resolve(parts);
    else if (this.early.length < QUEUE_MAX) this.early.push(parts);
    // Further ones are dropped: a page cannot hold its peers back.
  }

  began(connection) {
    this.onconnect?.(connection.url);
  }

  ended(connection) {
    this.ondisconnect?.(connection.url);
  }

  arrived(_, parts) {
    this.deliver(parts);
  }

  // To one after the other of those that are ready, or else that are dialled. Answers whether it was taken.
  deal(parts) {
    const ready = this.connections.filter((each) => each.ready);
    const those = ready.length > 0 ? ready : this.connections;
    return those.length > 0 && those[this.turn++ % those.length].send(parts);
  }
}

export class Dealer extends Socket {
  // Whether it was taken.
  send(parts) {
    return this.deal(message(parts));
  }
}

// Each message that it receives has the sender's name in front, and each that it sends its receiver's.
export class Router extends Socket {
  arrived(connection, parts) {
    this.deliver([connection.peer, ...parts]);
  }

  // Whether somebody of that name is there.
  send(parts) {
    const [name, ...rest] = message(parts);
    const to = this.connections.find((each) => each.ready && key(each.peer) === key(name));
    return to !== undefined && rest.length > 0 && to.send(rest);
  }
}

// One question at a time.
export class Req extends Socket {
  constructor(options) {
    super(options);
    this.asked = null;
  }

  // The answer, in time. A question whose connection ends fails with an Error.
  request(parts) {
    if (this.asked) return Promise.reject(new Error("a question is under way"));
    const question = [new Uint8Array(0), ...message(parts)];
    return new Promise((resolve, reject) => {
      this.asked = { resolve, reject, of: null };
      const to = this.connections.find((each) => each.ready) ?? this.connections[0];
      this.asked.of = to;
      if (!to?.send(question)) this.fail("nobody to ask");
    });
  }

  fail(why) {
    const { reject } = this.asked;
    this.asked = null;
    reject(new Error(why));
  }

  arrived(connection, parts) {
    if (!this.asked || this.asked.of !== connection || parts.length < 2 || parts[0].length > 0) return;
    const { resolve } = this.asked;
    this.asked = null;
    resolve(parts.slice(1));
  }

  ended(connection) {
    super.ended(connection);
    if (this.asked?.of === connection) this.fail("the connection ended");
  }

  close() {
    super.close();
    if (this.asked) this.fail("the socket was closed");
  }
}

// answer (parts): the parts of the answer, or a promise of them.
export class Rep extends Socket {
  constructor(answer, options) {
    super(options);
    this.answer = answer;
  }

  async arrived(connection, parts) {
    const end = parts.findIndex((part) => part.length === 0);
    if (end < 0) return; // no question
    const envelope = parts.slice(0, end + 1);
    const answer = message(await this.answer(parts.slice(end + 1)));
    if (connection.ready) connection.send([...envelope, ...answer]);
  }
}

export class Sub extends Socket {
  constructor(options) {
    super(options);
    this.topics = new Map(); // how often, by topic
  }

  // All that begins with the topic; "" for everything.
  subscribe(topic) {
    const wanted = bytes(topic), known = this.topics.get(key(wanted));
    this.topics.set(key(wanted), { topic: wanted, times: (known?.times ?? 0) + 1 });
    if (!known) this.tell(SUBSCRIBE, wanted);
  }

  unsubscribe(topic) {
    const wanted = bytes(topic), known = this.topics.get(key(wanted));
    if (!known || --known.times > 0) return;
    this.topics.delete(key(wanted));
    this.tell(CANCEL, wanted);
  }

  tell(what, topic) {
    for (const each of this.connections) if (each.ready) each.put([framed(what, topic)]);
  }

  began(connection) {
    for (const { topic } of this.topics.values()) connection.put([framed(SUBSCRIBE, topic)]);
    super.began(connection);
  }

  arrived(_, parts) {
    // What was under way when a topic was given up.
    for (const { topic } of this.topics.values()) {
      if (startsWith(parts[0], topic)) return this.deliver(parts);
    }
  }
}

// onsubscribe (topic) and onunsubscribe (topic), bytes, may be set.
export class Pub extends Socket {
  constructor(options) {
    super(options);
    this.wishes = new Map(); // topics by key, by connection
    this.onsubscribe = null;
    this.onunsubscribe = null;
  }

  began(connection) {
    this.wishes.set(connection, new Map());
    super.began(connection);
  }

  ended(connection) {
    this.wishes.delete(connection);
    super.ended(connection);
  }

  arrived(connection, parts) {
    if (parts.length !== 1 || parts[0].length === 0 || parts[0][0] > SUBSCRIBE) return;
    const topic = parts[0].slice(1), topics = this.wishes.get(connection);
    if (parts[0][0] === SUBSCRIBE) topics.set(key(topic), topic);
    else topics.delete(key(topic));
    (parts[0][0] === SUBSCRIBE ? this.onsubscribe : this.onunsubscribe)?.(topic);
  }

  // To those who asked for it; to nobody, if nobody did.
  send(parts) {
    const whole = message(parts);
    for (const [connection, topics] of this.wishes) {
      if ([...topics.values()].some((topic) => startsWith(whole[0], topic))) connection.put(whole);
    }
  }
}
