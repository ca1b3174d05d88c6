// The part of the page that draws.
#include "bench/report_page.hpp"

namespace zlink::bench {

const char *const report_script = R"js(
'use strict';
window.onerror = (what, where, line) => { document.body.dataset.state = `failed: ${what} (${line})`; };
const run = JSON.parse(document.getElementById('data').textContent);
const before = JSON.parse(document.getElementById('baseline').textContent);
const SVG = 'http://www.w3.org/2000/svg';
const make = (kind, attributes = {}, ...inside) => {
  const svg = ['svg', 'g', 'path', 'line', 'text', 'rect', 'circle', 'title'].includes(kind);
  const element = svg ? document.createElementNS(SVG, kind) : document.createElement(kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...inside.map(each => typeof each === 'number' ? String(each) : each));
  return element;
};
const put = (id, ...what) => document.getElementById(id).replaceChildren(...what);
const middle = values => {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b), half = sorted.length >> 1;
  return !sorted.length ? 0 : sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};
const of = (runs, name = 'value') => middle(runs.map(each => each[name]));
const advantage = cell => !cell.ratio ? 0 : cell.better === 'higher' ? cell.ratio : 1 / cell.ratio;
const counts = cell => !cell.error && cell.ours.length > 0;
const geometric = values => values.length ? Math.exp(values.reduce((sum, each) => sum + Math.log(each), 0) / values.length) : 0;
const unique = values => [...new Set(values)];
const bytes = size => size < 1024 ? `${size} B` : size < 1048576 ? `${size / 1024} KiB` : `${size / 1048576} MiB`;
const short = value => {
  if (!value) return '–';
  for (const [unit, scale] of [['G', 1e9], ['M', 1e6], ['K', 1e3]])
    if (value >= scale) return (value / scale).toPrecision(3) + ' ' + unit;
  return value.toPrecision(3);
};
const round = value => {  // of an axis
  for (const [unit, scale] of [['G', 1e9], ['M', 1e6], ['K', 1e3]])
    if (value >= scale) return Number((value / scale).toPrecision(3)) + ' ' + unit;
  return Number(value.toPrecision(3));
};
const shown = (value, cell) => !value ? '–' : cell.unit === 'us'
  ? value >= 1000 ? (value / 1000).toPrecision(3) + ' ms' : value.toPrecision(3) + ' µs'
  : short(value) + (cell.unit === 'B' ? ' B' : '/s');
const times = value => !value ? '–' : (value >= 10 ? value.toFixed(1) : value.toFixed(2)) + '×';
const colours = { ours: 'var(--ours)', theirs: 'var(--theirs)', floor: 'var(--floor)' };
const names = { ours: 'ours', theirs: 'libzmq', floor: 'raw floor' };
const legend = kinds => make('div', { class: 'legend' }, ...kinds.map(kind => {
  const mark = make('i');
  mark.style.background = colours[kind];
  return make('span', {}, mark, names[kind]);
}));

// A row of selections; draw(chosen) runs at once and with every change.
const choose = (id, lists, draw) => {
  const boxes = lists.map(list => {
    const box = make('select', { 'aria-label': list.name }, ...list.values.map(value =>
      make('option', { value }, list.text ? list.text(value) : value)));
    if (list.first !== undefined && list.values.includes(list.first)) box.value = list.first;
    box.onchange = () => draw(boxes.map(each => each.value));
    return box;
  });
  put(id, ...boxes);
  draw(boxes.map(each => each.value));
};

const about = () => {
  const facts = run.facts;
  put('about', [facts.processor, facts.processors && facts.processors + ' processor(s)', facts.kernel, facts.system, facts.date]
    .filter(Boolean).join(' · '));
  const good = run.cells.filter(cell => counts(cell) && advantage(cell));
  const tile = (figure, what) => make('div', { class: 'tile' }, make('b', {}, figure), make('span', {}, what));
  const all = verdict => good.filter(cell => cell.verdict === verdict).length;
  const mean = better => times(geometric(good.filter(cell => cell.better === better).map(advantage)));
  const share = middle(run.cells.filter(cell => counts(cell) && cell.floor_share).map(cell => cell.floor_share));
  const failed = run.cells.filter(cell => cell.error).length;
  put('tiles', tile(mean('higher'), 'the throughput, on average'), tile(mean('lower'), 'as quick, on average'),
    tile(share ? Math.round(share * 100) + ' %' : '–', 'of the floor, in the middle'),
    tile(all('won'), 'cells won'), tile(all('even'), 'even'), tile(all('lost'), 'lost'),
    ...failed ? [tile(failed, 'did not count')] : []);
};

const empty = what => make('p', {}, what);

// Ours better: green; the same: pale; worse: red. The deepest is eight times.
const heat_colour = value => {
  const depth = Math.max(-1, Math.min(1, Math.log2(value) / 3));
  return depth >= 0 ? `hsl(168 ${30 + 30 * depth}% ${92 - 34 * depth}%)` : `hsl(8 ${60}% ${92 + 40 * depth}%)`;
};
const heat = () => {
  const compared = run.cells.filter(cell => cell.theirs.length || cell.error);
  if (!compared.length) return put('heat', empty('Nothing was compared.'));
  choose('heat-choice', [{ name: 'metric', values: unique(compared.map(cell => cell.metric)) }], ([metric]) => {
    const cells = compared.filter(cell => cell.metric === metric);
    const sizes = unique(cells.map(cell => cell.size)).sort((a, b) => a - b);
    const table = make('table', { class: 'heat' }, make('tr', {}, make('th'), ...sizes.map(size => make('th', {}, bytes(size)))));
    for (const row of unique(cells.map(cell => cell.pattern + ' · ' + cell.transport))) {
      const line = make('tr', {}, make('td', { class: 'k' }, row));
      for (const size of sizes) {
        const cell = cells.find(each => each.pattern + ' · ' + each.transport === row && each.size === size);
        const value = cell && counts(cell) ? advantage(cell) : 0;
        const field = make('td', { class: value ? 'c' : '' }, value ? times(value) : '');
        if (value) field.style.background = heat_colour(value);
        if (cell && cell.error) field.style.outline = '1px dashed var(--lost)';
        if (cell) field.title = cell.error || `${cell.cell}: ours ${shown(of(cell.ours), cell)}, libzmq ${shown(of(cell.theirs), cell)}, ${cell.verdict}`;
        line.append(field);
      }
      table.append(line);
    }
    put('heat', table);
  });
};

// Axes of a chart with logarithmic y, and both scales.
const frame = (width, height, ticks, low, high, text) => {
  const left = 56, right = 14, top = 12, bottom = 34;
  const picture = make('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img' });
  const span = Math.log10(high / low) || 1;
  const x = index => left + (ticks.length > 1 ? index / (ticks.length - 1) : .5) * (width - left - right);
  const y = value => top + (1 - Math.log10(value / low) / span) * (height - top - bottom);
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
    for (const step of span > 2.5 ? [1] : [1, 2, 5]) {
      const value = step * 10 ** power;
      if (value < low || value > high) continue;
      picture.append(make('line', { class: 'grid', x1: left, x2: width - right, y1: y(value), y2: y(value) }),
        make('text', { class: 'faint', x: left - 8, y: y(value) + 4, 'text-anchor': 'end' }, text(value)));
    }
  ticks.forEach((tick, index) => picture.append(make('text', { class: 'faint', x: x(index), y: height - 12,
    'text-anchor': index === 0 ? 'start' : index === ticks.length - 1 ? 'end' : 'middle' }, tick)));
  return { picture, x, y };
};
const bounds = values => {
  const real = values.filter(each => each > 0);
  return real.length ? [Math.min(...real) * .8, Math.max(...real) * 1.25] : [1, 10];
};
const draw_line = (at, kind, points, title) => {
  const real = points.filter(point => point.value > 0);
  if (!real.length) return;
  const path = real.map((point, i) => `${i ? 'L' : 'M'}${at.x(point.index).toFixed(1)} ${at.y(point.value).toFixed(1)}`).join('');
  at.picture.append(make('path', { d: path, fill: 'none', stroke: colours[kind], 'stroke-width': kind === 'floor' ? 1.5 : 2.5,
    'stroke-linejoin': 'round', ...kind === 'floor' ? { 'stroke-dasharray': '5 4' } : {} }));
  for (const point of real) at.picture.append(make('circle', { cx: at.x(point.index), cy: at.y(point.value), r: kind === 'floor' ? 2.5 : 4,
    fill: colours[kind] }, make('title', {}, `${names[kind]}: ${title(point)}`)));
};
const rates = () => {
  const cells = run.cells.filter(cell => counts(cell) && cell.unit === 'msg/s');
  if (!cells.length) return put('rate', empty('No throughput was measured.'));
  choose('rate-choice', [{ name: 'pattern', values: unique(cells.map(cell => cell.pattern)) },
    { name: 'transport', values: unique(cells.map(cell => cell.transport)) },
    { name: 'metric', values: unique(cells.map(cell => cell.metric)) }], ([pattern, transport, metric]) => {
    const some = cells.filter(cell => cell.pattern === pattern && cell.transport === transport && cell.metric === metric)
      .sort((a, b) => a.size - b.size);
    if (!some.length) return put('rate', empty('This was not measured.'));
    const kinds = ['floor', 'theirs', 'ours'];
    const [low, high] = bounds(some.flatMap(cell => kinds.map(kind => of(cell[kind]))));
    const at = frame(520, 300, some.map(cell => bytes(cell.size)), low, high, round);
    for (const kind of kinds)
      draw_line(at, kind, some.map((cell, index) => ({ index, value: of(cell[kind]), cell })), point => `${bytes(point.cell.size)}, ${short(point.value)}/s`);
    put('rate', at.picture, legend(['ours', 'theirs', 'floor']));
  });
};

const tails = () => {
  const cells = run.cells.filter(cell => counts(cell) && cell.unit === 'us' && of(cell.ours, 'p50_us') > 0);
  if (!cells.length) return put('tail', empty('No latency was measured.'));
  const sizes = unique(cells.map(cell => cell.size)).sort((a, b) => a - b).map(String);
  choose('tail-choice', [{ name: 'pattern', values: unique(cells.map(cell => cell.pattern)) },
    { name: 'transport', values: unique(cells.map(cell => cell.transport)) },
    { name: 'size', values: sizes, text: size => bytes(Number(size)) },
    { name: 'metric', values: unique(cells.map(cell => cell.metric)) }], ([pattern, transport, size, metric]) => {
    const cell = cells.find(each => each.pattern === pattern && each.transport === transport && String(each.size) === size && each.metric === metric);
    if (!cell) return put('tail', empty('This was not measured.'));
    const marks = [['p50_us', '50 %'], ['mean_us', 'mean'], ['p99_us', '99 %'], ['p999_us', '99.9 %']];
    const kinds = ['floor', 'theirs', 'ours'];
    const [low, high] = bounds(kinds.flatMap(kind => marks.map(([name]) => of(cell[kind], name))));
    const at = frame(520, 300, marks.map(mark => mark[1]), low, high, value => value >= 1000 ? round(value / 1000) + ' ms' : round(value) + ' µs');
    for (const kind of kinds)
      draw_line(at, kind, marks.map(([name, text], index) => ({ index, value: of(cell[kind], name), text })), point => `${point.text}, ${point.value.toPrecision(3)} µs`);
    put('tail', at.picture, legend(['ours', 'theirs', 'floor']));
  });
};

const floors = () => {
  const cells = run.cells.filter(cell => counts(cell) && cell.floor_share > 0);
  if (!cells.length) return put('floor', empty('The floor was left out.'));
  choose('floor-choice', [{ name: 'metric', values: unique(cells.map(cell => cell.metric)) },
    { name: 'size', values: unique(cells.map(cell => cell.size)).sort((a, b) => a - b).map(String), text: size => bytes(Number(size)) }],
  ([metric, size]) => {
    const some = cells.filter(cell => cell.metric === metric && String(cell.size) === size);
    if (!some.length) return put('floor', empty('This was not measured.'));
    const theirs = cell => { const value = of(cell.theirs), floor = of(cell.floor); return !value ? 0 : cell.better === 'higher' ? value / floor : floor / value; };
    const most = Math.max(1, ...some.map(cell => cell.floor_share)), left = 190, width = 1060, step = 34;
    const scale = share => share / most * (width - left - 60);
    const picture = make('svg', { viewBox: `0 0 ${width} ${some.length * step + 24}`, role: 'img' });
    for (const share of [.25, .5, .75, 1]) picture.append(
      make('line', { class: 'grid', x1: left + scale(share), x2: left + scale(share), y1: 0, y2: some.length * step }),
      make('text', { class: 'faint', x: left + scale(share), y: some.length * step + 18, 'text-anchor': 'middle' }, share * 100 + ' %'));
    some.forEach((cell, index) => {
      const y = index * step + 4;
      picture.append(make('text', { x: left - 10, y: y + 17, 'text-anchor': 'end' }, `${cell.pattern} · ${cell.transport}`));
      [['ours', cell.floor_share], ['theirs', theirs(cell)]].filter(each => each[1]).forEach(([kind, share], line) => picture.append(
        make('rect', { x: left, y: y + line * 13, width: Math.max(1, scale(share)), height: 11, rx: 2, fill: colours[kind] },
          make('title', {}, `${names[kind]}: ${(share * 100).toFixed(1)} %`)),
        make('text', { x: left + scale(share) + 6, y: y + line * 13 + 10, class: 'faint' }, Math.round(share * 100) + ' %')));
    });
    put('floor', picture, legend(['ours', 'theirs']));
  });
};

const table_of = (heads, rows) => make('table', {}, make('tr', {}, ...heads.map(([head, kind]) => make('th', { class: kind || '' }, head))),
  ...rows.map(row => make('tr', {}, ...row.map((field, i) => Array.isArray(field)
    ? make('td', { class: field[1] }, field[0]) : make('td', { class: heads[i][1] || '' }, field)))));

const changes = () => {
  if (!before) return;
  document.getElementById('changes').hidden = false;
  const rows = run.cells.filter(counts).flatMap(cell => {
    const then = before.cells.find(each => each.cell === cell.cell);
    if (!then || !counts(then) || !advantage(then) || !advantage(cell)) return [];
    return [{ cell, then: advantage(then), now: advantage(cell), change: advantage(cell) / advantage(then) }];
  }).sort((a, b) => a.change - b.change);
  put('change-table', rows.length ? table_of([['cell'], ['then', 'n'], ['now', 'n'], ['now / then', 'n']], rows.map(row =>
    [row.cell.cell, times(row.then), times(row.now), [times(row.change), row.change < .9 ? 'n lost' : row.change > 1.1 ? 'n won' : 'n even']]))
    : empty('No cell was measured both times.'));
};

const cpu = runs => middle(runs.map(each => each.messages > 0 ? each.cpu_s * 1e6 / each.messages : NaN));
const calls = run => run.reads_writes + run.polls, allocations = run => run.allocations;
const counted = (runs, what) => runs && runs.length && runs[0].reads_writes >= 0 ? Number(what(runs[0]).toPrecision(2)) : '–';
const memory = runs => runs.length ? (of(runs, 'peak_memory_kib') / 1024).toFixed(1) : '–';
const tables = () => {
  put('table', table_of([['pattern'], ['over'], ['bytes', 'n'], ['metric'], ['ours', 'n'], ['libzmq', 'n'], ['better', 'n'], ['floor', 'n'], ['of it', 'n'], [''], ['CPU s/M', 'n'], ['libzmq’s', 'n'], ['calls', 'n'], ['libzmq’s', 'n'], ['allocations', 'n'], ['libzmq’s', 'n'], ['MiB', 'n'], ['libzmq’s', 'n']],
    run.cells.map(cell => [cell.pattern, cell.transport, cell.size.toLocaleString('en'), cell.metric, shown(of(cell.ours), cell), shown(of(cell.theirs), cell),
      times(advantage(cell)), shown(of(cell.floor), cell), cell.floor_share ? Math.round(cell.floor_share * 100) + ' %' : '–',
      cell.error ? [cell.error, 'error'] : cell.theirs.length ? [cell.verdict, cell.verdict] : '', cpu(cell.ours).toFixed(3), cell.theirs.length ? cpu(cell.theirs).toFixed(3) : '–',
      counted(cell.ours_counted, calls), counted(cell.theirs_counted, calls), counted(cell.ours_counted, allocations), counted(cell.theirs_counted, allocations),
      memory(cell.ours), memory(cell.theirs)])));
  const percent = value => (value * 100).toFixed(1) + ' %';
  const facts = Object.entries(run.facts).concat([['rounds of a cell apart, in the middle',
    `ours ${percent(run.noise.ours)}, libzmq ${percent(run.noise.theirs)}, floor ${percent(run.noise.floor)}`]]);
  put('facts', table_of([[''], ['']], facts));
};

for (const part of [about, heat, rates, tails, floors, changes, tables]) part();
document.body.dataset.state = document.body.dataset.state || 'drawn';
)js";

}  // namespace zlink::bench
