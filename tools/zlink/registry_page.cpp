// The page of a registry. Everything that a provider has said reaches it as text of a node,
// never as markup.
#include <string_view>

#include "tools/zlink/registry_http.hpp"

namespace zlink::tool {

namespace {

constexpr std::string_view style = R"css(
:root { color-scheme: light dark; --back: #f7f8f8; --card: #fff; --text: #1b1f23; --faint: #66707c; --line: #e2e5e9;
  --ours: #0f766e; --warm: #b45309; --bad: #b42318; --soft: #d9efec; }
@media (prefers-color-scheme: dark) { :root { --back: #13161a; --card: #1b1f24; --text: #e7eaee; --faint: #98a2ad;
  --line: #2c3238; --ours: #2dd4bf; --warm: #fbbf24; --bad: #f87171; --soft: #173b38; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 24px 16px 56px; }
header { display: flex; flex-wrap: wrap; gap: 6px 12px; align-items: center; }
h1 { font-size: 22px; margin: 0; letter-spacing: -.01em; } h2 { font-size: 16px; margin: 0 0 8px; }
.badge { border-radius: 999px; padding: 1px 10px; font-size: 13px; border: 1px solid var(--line); color: var(--faint); }
.badge.good { color: var(--ours); border-color: var(--ours); } .badge.soon { color: var(--warm); border-color: var(--warm); }
.badge.bad { color: var(--bad); border-color: var(--bad); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 10px; margin-top: 16px; }
.tile, section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.tile { padding: 10px 14px; min-width: 0; } .tile b { display: block; font-size: 24px; line-height: 1.25; font-weight: 650;
  font-variant-numeric: tabular-nums; } .tile span { color: var(--faint); font-size: 13px; }
section { padding: 16px; margin-top: 14px; min-width: 0; }
svg { display: block; width: 100%; } svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
svg .faint { fill: var(--faint); } svg path { fill: none; stroke: var(--line); stroke-width: 1.5; }
svg .hub { fill: var(--ours); } svg .service { fill: var(--soft); stroke: var(--ours); }
svg .up { fill: var(--ours); } svg .drains { fill: var(--faint); } svg .before { fill: none; stroke: var(--warm); stroke-width: 2; }
svg .rate { stroke: var(--ours); }
input { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 7px;
  padding: 5px 10px; width: 100%; max-width: 360px; margin-bottom: 8px; }
.service { border-top: 1px solid var(--line); padding: 10px 0 4px; } .service:first-child { border: 0; }
.service h3 { font-size: 14.5px; margin: 0 0 4px; overflow-wrap: anywhere; } .service h3 span { color: var(--faint); font-weight: 400; }
.provider { display: grid; grid-template-columns: minmax(0, 2.2fr) minmax(0, 1.4fr) minmax(0, .9fr) minmax(0, .9fr); gap: 2px 12px;
  font-size: 13.5px; padding: 3px 0 3px 16px; position: relative; }
.provider::before { content: ""; position: absolute; left: 0; top: 10px; width: 8px; height: 8px; border-radius: 50%;
  background: var(--ours); } .provider.drains::before { background: var(--faint); }
.provider.before::before { background: none; border: 2px solid var(--warm); }
.provider > * { overflow-wrap: anywhere; } .provider .faint, .faint { color: var(--faint); }
.provider.fresh { animation: come 1.6s; } @keyframes come { from { background: var(--soft); } to { background: none; } }
ul { list-style: none; margin: 0; padding: 0; font-size: 13.5px; } li { padding: 2px 0; overflow-wrap: anywhere; }
li time { color: var(--faint); margin-right: 8px; font-variant-numeric: tabular-nums; }
@media (max-width: 620px) { .provider { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
  .provider > :first-child { grid-column: 1 / -1; } .provider > :empty { display: none; } main { padding: 16px 12px 40px; } }
@media (prefers-reduced-motion: reduce) { .provider.fresh { animation: none; } }
)css";

constexpr std::string_view body = R"html(<main>
<header><h1>zlink registry</h1><span class="badge" id="link">connecting</span><span class="badge" id="settled"></span>
<span class="faint" id="who"></span></header>
<div class="tiles" id="tiles"></div>
<section><h2>Changes a second, the last minute</h2><svg id="rate" height="56" role="img" aria-label="changes a second"></svg></section>
<section><h2>Topology</h2><svg id="map" role="img" aria-label="services and their providers"></svg></section>
<section><h2>Services</h2><input id="filter" placeholder="part of a name, endpoint or host" aria-label="filter">
<div id="services"></div></section>
<section><h2>What happened</h2><ul id="log"></ul></section>
</main>)html";

constexpr std::string_view script = R"js(
"use strict";
const rows_max = 500, log_max = 30, mapped_services_max = 14, mapped_providers_max = 6;
const by = id => document.getElementById(id);
const make = (name, kind, text) => {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  if (text !== undefined) made.textContent = text;
  return made;
};
const draw = (name, marks, text) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [mark, value] of Object.entries(marks)) made.setAttribute(mark, value);
  if (text !== undefined) made.textContent = text;
  return made;
};
const cut = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text;
const tail = (text, most) => text.length > most ? "…" + text.slice(1 - most) : text;  // ports tell endpoints apart
const sum = counts => Object.values(counts).reduce((all, each) => all + each, 0);
const state_of = provider => !provider.confirmed ? "before" : provider.weight === 0 ? "drains" : "up";
const word_of = {up: "up", drains: "drains", before: "not seen since the restart"};

let now = null, known = null, rates = [], asking = false, again = false;

// --- what is shown ---
function tiles() {
  const rate = rates.slice(-10).reduce((all, each) => all + each, 0) / Math.max(1, Math.min(10, rates.length));
  const shown = [["providers", now.providers], ["services", now.services.length], ["processes", now.instances],
    ["watches", now.watches], ["changes a second", rate.toFixed(1)], ["gone", sum(now.gone_total)],
    ["refused", sum(now.refused_total)]];
  by("tiles").replaceChildren(...shown.map(([name, value]) => {
    const tile = make("div", "tile");
    tile.append(make("b", "", typeof value === "number" ? value.toLocaleString("en") : value), make("span", "", name));
    return tile;
  }));
}

function row(service, provider, fresh) {
  const made = make("div", `provider ${state_of(provider)}${fresh ? " fresh" : ""}`);
  made.dataset.endpoint = provider.endpoint;
  const since = new Date(provider.registered_at);
  made.append(make("span", "", provider.endpoint), make("span", "faint", [provider.host, provider.zone].filter(Boolean).join(" · ")),
    make("span", "faint", `weight ${provider.weight}`),
    make("span", "faint", state_of(provider) === "up" ? `since ${since.toLocaleTimeString()}` : word_of[state_of(provider)]));
  made.title = `instance ${provider.instance}, registered ${since.toLocaleString()}`;
  return made;
}

function list(fresh) {
  const wanted = by("filter").value.toLowerCase();
  const made = [];
  let left = rows_max;
  for (const service of now.services) {
    const fits = provider => [service.name, provider.endpoint, provider.host].some(text => text.toLowerCase().includes(wanted));
    const shown = service.providers.filter(fits);
    if (shown.length === 0 || left === 0) continue;
    const block = make("div", "service"), head = make("h3", "", service.name + " ");
    head.append(make("span", "", `${service.type} · ${service.providers.length}`));
    block.append(head, ...shown.slice(0, left).map(each => row(service, each, fresh.has(key(service, each)))));
    left -= Math.min(left, shown.length);
    made.push(block);
  }
  if (made.length === 0) made.push(make("p", "faint", wanted ? "Nothing fits." : "Nobody is registered."));
  if (left === 0) made.push(make("p", "faint", `These are ${rows_max}; look for others by name.`));
  by("services").replaceChildren(...made);
}

// The registry, its services, and who provides them; as wide as there is room.
function map() {
  const svg = by("map"), width = svg.clientWidth || 340, narrow = width < 520;
  const services = now.services.slice(0, mapped_services_max);
  const service_x = narrow ? 44 : 110, provider_x = narrow ? width * .56 : width * .52, step = 22;
  const letters = Math.max(6, Math.floor((provider_x - service_x - 40) / 7)), rest = Math.floor((width - provider_x - 20) / 7);
  const made = [];
  let y = 18;
  const middles = [];
  for (const service of services) {
    const shown = service.providers.slice(0, mapped_providers_max), more = service.providers.length - shown.length;
    const lines = shown.length + (more > 0 ? 1 : 0), middle = y + (lines - 1) * step / 2;
    middles.push(middle);
    shown.forEach((provider, at) => {
      const py = y + at * step;
      made.push(draw("path", {d: `M${provider_x - 26} ${middle} C ${provider_x - 12} ${middle}, ${provider_x - 14} ${py}, ${provider_x - 4} ${py}`}),
        draw("circle", {cx: provider_x, cy: py, r: 4, class: state_of(provider)}),
        draw("text", {x: provider_x + 10, y: py + 4}, tail(provider.endpoint, rest)));
    });
    if (more > 0) made.push(draw("text", {x: provider_x + 10, y: y + shown.length * step + 4, class: "faint"}, `and ${more} more`));
    made.push(draw("rect", {x: service_x, y: middle - 10, width: provider_x - 26 - service_x, height: 20, rx: 6, class: "service"}),
      draw("text", {x: service_x + 8, y: middle + 4}, cut(service.name, letters)));
    y += lines * step + 12;
  }
  if (now.services.length > services.length) {
    made.push(draw("text", {x: service_x, y: y + 4, class: "faint"}, `and ${now.services.length - services.length} more services`));
    y += step;
  }
  const height = Math.max(y, 48), hub = narrow ? 14 : 36, center = middles.length ? (middles[0] + middles.at(-1)) / 2 : height / 2;
  for (const middle of middles)
    made.unshift(draw("path", {d: `M${hub} ${center} C ${hub + 20} ${center}, ${service_x - 24} ${middle}, ${service_x} ${middle}`}));
  made.push(draw("circle", {cx: hub, cy: center, r: narrow ? 8 : 12, class: "hub"}));
  if (!narrow) made.push(draw("text", {x: hub, y: center + 28, "text-anchor": "middle", class: "faint"}, "registry"));
  svg.setAttribute("height", height);
  svg.replaceChildren(...made);
}

function rate() {
  const svg = by("rate"), width = svg.clientWidth || 340, most = Math.max(1, ...rates);
  const at = (value, index) => `${(index * width / 59).toFixed(1)} ${(50 - value / most * 44).toFixed(1)}`;
  const filled = [...Array(60 - rates.length).fill(0), ...rates];
  svg.replaceChildren(draw("path", {class: "rate", d: "M" + filled.map(at).join(" L")}),
    draw("text", {x: 2, y: 12, class: "faint"}, `at most ${most}`));
}

function note(kind, name) {
  const line = make("li");
  line.append(make("time", "", new Date().toLocaleTimeString()), kind + " ", make("b", "", name));
  by("log").prepend(line);
  while (by("log").childElementCount > log_max) by("log").lastElementChild.remove();
}

const key = (service, provider) => JSON.stringify([service.type, service.name, provider.endpoint]);

function show(fresh_state) {
  now = fresh_state;
  const seen = new Map(), fresh = new Set();
  for (const service of now.services)
    for (const each of service.providers) seen.set(key(service, each), `${service.name} at ${each.endpoint}`);
  if (known !== null) {
    for (const [each, name] of seen) if (!known.has(each)) { fresh.add(each); note("came:", name); }
    for (const [each, name] of known) if (!seen.has(each)) note("gone:", name);
  }
  known = seen;
  by("settled").textContent = now.settled ? "settled" : "filling";
  by("settled").className = `badge ${now.settled ? "good" : "soon"}`;
  by("who").textContent = `incarnation ${now.incarnation.slice(0, 8)}, revision ${now.revision}`;
  tiles();
  map();
  list(fresh);
  document.body.dataset.changes = now.changes;
}

// --- where it comes from ---
async function ask() {
  if (asking) { again = true; return; }
  asking = true;
  do {
    again = false;
    try {
      const answer = await fetch("api/services");
      if (answer.ok) show(await answer.json());
    } catch { link("lost", "bad"); }
  } while (again);
  asking = false;
}
function link(text, kind) {
  by("link").textContent = text;
  by("link").className = `badge ${kind}`;
}
const told = new EventSource("api/events");
told.onopen = () => link("live", "good");
told.onmessage = ask;
told.onerror = () => link("lost", "bad");

let counted = null;
setInterval(() => {
  if (told.readyState === EventSource.CLOSED) ask();
  if (now === null) return;
  rates = [...rates, counted === null ? 0 : Math.max(0, now.changes - counted)].slice(-60);
  counted = now.changes;
  tiles();
  rate();
  if (rates.length % 5 === 0) ask();
}, 1000);
by("filter").addEventListener("input", () => now && list(new Set()));
addEventListener("resize", () => { if (now) { map(); rate(); } });
ask();
)js";

}  // namespace

std::string registry_page (const std::string &nonce)
{
    std::string made = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<title>zlink registry</title><link rel=\"icon\" href=\"data:,\">\n<style nonce=\"";
    made += nonce;
    made += "\">";
    made += style;
    made += "</style></head>\n<body>";
    made += body;
    made += "\n<script nonce=\"" + nonce + "\">";
    made += script;
    made += "</script></body></html>\n";
    return made;
}

}  // namespace zlink::tool
