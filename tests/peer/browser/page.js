// What is tried in the page; browser.py is at the other ends, and is told what came of it.
import { Dealer, Pub, Rep, Req, Router, Sub, text } from "./zws.js";

const SIZES = [0, 1, 254, 255, 65535, 65536, 1 << 20];
const MANY = 300;

function check(holds, what) {
  if (!holds) throw new Error(what);
}

function same(parts, expected) {
  const got = parts.map(text);
  check(JSON.stringify(got) === JSON.stringify(expected), `${JSON.stringify(got)} instead of ${JSON.stringify(expected)}`);
}

const trials = {
  async dealer(endpoint) {
    const dealer = new Dealer({ identity: "page" });
    dealer.connect(endpoint);
    for (const size of SIZES) {
      const body = new Uint8Array(size).map((_, index) => index % 251);
      dealer.send([body, "", "Grüße"]);
      const back = await dealer.receive();
      check(back.length === 3 && back[0].length === size && back[0].every((octet, at) => octet === body[at]), `${size} octets`);
      same(back.slice(1), ["", "Grüße"]);
    }
    for (let number = 0; number < MANY; ++number) dealer.send(`${number}`);
    for (let number = 0; number < MANY; ++number) same(await dealer.receive(), [`${number}`]);
    dealer.close();
  },

  async router(endpoint) {
    const router = new Router();
    router.connect(endpoint);
    const [name, ...rest] = await router.receive();
    same([name, ...rest], ["ours", "hello", "page"]);
    check(router.send([name, "hello", "you"]), "the name is known");
    check(!router.send(["nobody", "hello"]), "this one is not");
    same((await router.receive()).slice(1), ["done"]);
    router.close();
  },

  async req(endpoint) {
    const req = new Req();
    req.connect(endpoint);
    for (let number = 0; number < MANY; ++number) same(await req.request([`${number}`, ""]), ["answer", `${number}`, ""]);
    req.close();
  },

  async rep(endpoint) {
    const asked = [];
    const over = new Promise((resolve) => {
      const rep = new Rep(async (parts) => {
        asked.push(text(parts[0]));
        if (asked.length === MANY) setTimeout(resolve, 0);
        return ["answer", ...parts];
      });
      rep.connect(endpoint);
    });
    await over;
    check(asked.every((number, index) => number === `${index}`), "in order");
  },

  async sub(endpoint) {
    const sub = new Sub();
    sub.subscribe("weather");
    sub.connect(endpoint);
    same(await sub.receive(), ["weather.today", "rain"]);
    sub.subscribe("wind");
    sub.unsubscribe("weather");
    same(await sub.receive(), ["wind"]);
    sub.close();
  },

  async pub(endpoint) {
    const pub = new Pub();
    const asked = new Promise((resolve) => {
      pub.onsubscribe = (topic) => resolve(text(topic));
    });
    const given = new Promise((resolve) => {
      pub.onunsubscribe = (topic) => resolve(text(topic));
    });
    pub.connect(endpoint);
    check((await asked) === "we", "the topic is told");
    pub.send(["wind", "no"]);
    pub.send(["weather", "yes"]);
    check((await given) === "we", "and that it was given up");
    pub.close();
  },

  // The listener goes and comes back.
  async again(endpoint) {
    const dealer = new Dealer();
    let left;
    const gone = new Promise((resolve) => {
      left = resolve;
    });
    dealer.ondisconnect = left;
    dealer.connect(endpoint);
    dealer.send("first");
    await gone;
    dealer.send("second"); // waits for the next connection
    same(await dealer.receive(), ["seen"]);
    dealer.close();
  },
};

async function outcome(name, endpoint) {
  try {
    await trials[name](endpoint);
    return "ok";
  } catch (error) {
    return String(error.stack ?? error);
  }
}

const endpoints = await (await fetch("endpoints")).json();
const found = await Promise.all(Object.entries(endpoints).map(async ([name, endpoint]) => {
  const came = await outcome(name, endpoint);
  await fetch("outcome", { method: "POST", body: JSON.stringify([name, came]) });
}));
document.body.textContent = `${found.length} tried`;
