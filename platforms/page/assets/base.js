'use strict';
const DATA = JSON.parse(document.getElementById('data').textContent);
const RUNS = DATA.runs;
const HAS_CHARTS = typeof Plot !== 'undefined';
const state = {a: 0, b: RUNS.length > 1 ? 1 : null, theme: 'system', group: 'loads', kernel: ''};

// ---- numbers -------------------------------------------------------------------------------------------------------
const isNumber = v => typeof v === 'number' && isFinite(v);
const grouped = v => Math.round(v).toString().replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009');
/// Four significant digits or more, whole numbers whole.
function figure(v, digits = 4) {
  if (!isNumber(v)) return '\u2013';
  if (Number.isInteger(v) && Math.abs(v) < 1e15) return grouped(v);
  const size = Math.abs(v);
  if (size >= 999.5 && digits === 4) return grouped(v);
  if (size !== 0 && size < 0.001) return v.toExponential(2).replace('e-', '\u202f\u00d7\u202f10^-');
  return String(Number(v.toPrecision(digits)));
}
const percent = (v, digits = 1) => isNumber(v) ? (100 * v).toFixed(digits) + '\u202f%' : '\u2013';
const signed = v => (v > 0 ? '+' : v < 0 ? '\u2212' : '\u00b1') + Math.abs(100 * v).toFixed(1) + '\u202f%';
const sum = list => list.reduce((total, v) => total + (isNumber(v) ? v : 0), 0);
function bytes(v) {
  if (!isNumber(v)) return '\u2013';
  for (const [unit, size] of [['GB', 1e9], ['MB', 1e6], ['kB', 1e3]]) if (v >= size) return figure(v / size) + '\u202f' + unit;
  return figure(v) + '\u202fB';
}
/// How unequal the members of a group are: largest over mean, and Gini's coefficient.
function balance(values) {
  const known = values.filter(isNumber), total = sum(known);
  if (known.length < 2 || total === 0) return null;
  const order = [...known].sort((x, y) => x - y);
  const weighted = sum(order.map((v, i) => v * (i + 1)));
  return {max: order[order.length - 1] * known.length / total, gini: 2 * weighted / (known.length * total) - (known.length + 1) / known.length};
}

// ---- elements ------------------------------------------------------------------------------------------------------
function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value === true) node.setAttribute(key, ''); else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value);
  node.append(...children.flat().filter(child => child !== null && child !== undefined));
  return node;
}
function drawn(name, attributes = {}, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null && value !== undefined) node.setAttribute(key, value);
  node.append(...children.flat().filter(child => child !== null && child !== undefined));
  return node;
}
function table(columns, rows) {
  const cell = (value, tag = 'td') => value instanceof Node && (value.tagName === 'TD') ? value : element(tag, {}, value);
  return element('div', {class: 'scroll', tabindex: 0},
    element('table', {}, columns ? element('thead', {}, element('tr', {}, columns.map(name => cell(name, 'th')))) : null,
      element('tbody', {}, rows.map(row => element('tr', {}, row.map(value => cell(value)))))));
}
const details = (words, ...children) => element('details', {}, element('summary', {}, words), ...children);
/// Buttons of which one is pressed.
function choice(words, options, now, pick) {
  return element('div', {class: 'choice', role: 'group', 'aria-label': words}, options.map(option => {
    const button = element('button', {type: 'button', 'aria-pressed': String(option === now)}, option);
    button.addEventListener('click', () => pick(option));
    return button;
  }));
}
const swatches = entries => element('div', {class: 'legend'}, entries.map(([words, colour, kind]) =>
  element('span', {}, element('i', {style: 'background:' + colour, class: kind}), words)));

// ---- what lies under the pointer ---------------------------------------------------------------------------------------
const tip = document.getElementById('tip');
let tipByKey = false;
function showTip(x, y, content, byKey = false) {
  tipByKey = byKey;
  tip.replaceChildren(...content);
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(6, Math.min(x + 14, innerWidth - box.width - 8)) + 'px';
  tip.style.top = (y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 12) : y + 16) + 'px';
}
const hideTip = () => { tip.hidden = true; };
/// What an element says while the pointer is on it. That it moves away below the pointer is no answer to a key.
function answers(node, content) {
  node.addEventListener('pointermove', event => { if (!tipByKey || event.movementX || event.movementY) showTip(event.clientX, event.clientY, content()); });
  node.addEventListener('pointerleave', () => { if (!tipByKey) hideTip(); });
}
const tipLines = (title, rows) => [element('b', {}, title), element('table', {}, element('tbody', {}, rows.map(row => element('tr', {}, row.map(v => element('td', {}, v))))))];
addEventListener('scroll', () => { if (!tipByKey) hideTip(); }, {passive: true});  // the focus itself may scroll
addEventListener('keydown', event => { if (event.key === 'Escape') hideTip(); });

// ---- colours --------------------------------------------------------------------------------------------------------
const PLACE_COLOURS = {sm: '--p-sm', l1: '--p-l1', noc: '--p-noc', llc: '--p-llc', memory: '--p-memory'};
const SPARE_COLOURS = ['--p-other', '--p-other2', '--p-other3'];
/// Of a place in ledgers: by the role of its blocks, so that two networks differ in shade of one kind only where they must.
function placeColour(place, run) {
  const roles = {sm: 'sm', l1: 'l1', router: 'noc', llc: 'llc', memory: 'memory', channel: 'memory'};
  const named = PLACE_COLOURS[place] || PLACE_COLOURS[roles[run.stats.ledger_places[place]]];
  const taken = Object.keys(run.stats.ledger_places).filter(other => PLACE_COLOURS[roles[run.stats.ledger_places[other]]] === named && PLACE_COLOURS[other] === undefined);
  if (named && (PLACE_COLOURS[place] || taken.indexOf(place) <= 0)) return `var(${named})`;
  return `var(${SPARE_COLOURS[Math.abs([...place].reduce((h, c) => h + c.charCodeAt(0), 0)) % SPARE_COLOURS.length]})`;
}
/// Style of a load between 0 and 1: between two of the stops --load0 to --load3.
const LOAD_STOPS = [0, 0.25, 0.55, 1];
function loadStyle(load) {
  const i = Math.max(0, LOAD_STOPS.findIndex(stop => load <= stop) - 1);
  return `--from:var(--load${i});--to:var(--load${i + 1});--part:${(100 * (load - LOAD_STOPS[i]) / (LOAD_STOPS[i + 1] - LOAD_STOPS[i])).toFixed(1)}%`;
}

// ---- tables of a run ----------------------------------------------------------------------------------------------------
function columnOf(data, name) {
  const at = data.columns.indexOf(name);
  return at < 0 ? null : data.rows.map(row => row[at]);
}
const runNames = () => (state.b === null ? [state.a] : [state.a, state.b]).map((at, i) => ({run: RUNS[at], tag: i === 0 ? 'A' : 'B', at}));
function paneTitle(shown) {
  return state.b === null ? null : element('div', {class: 'pane-title'}, element('span', {class: 'tag ' + shown.tag.toLowerCase()}, shown.tag), shown.run.name);
}
/// The runs beside each other, each drawn by `draw(run, width, shown)`, which returns nodes or null.
function panes(host, draw, options = {}) {
  const shown = runNames(), two = shown.length > 1 && !options.stacked;
  const grid = element('div', {class: 'panes' + (two ? ' two' : '')});
  host.append(grid);
  const cells = shown.map(one => { const cell = element('div', {class: 'pane', 'data-run': one.at}, paneTitle(one)); grid.append(cell); return cell; });
  shown.forEach((one, i) => {
    const nodes = draw(one.run, cells[i].clientWidth, one);
    cells[i].append(...(nodes || [element('p', {class: 'soft'}, options.absent || 'This run has no such figures.')]).filter(Boolean));
  });
}
const chartStyle = {background: 'transparent', color: 'var(--ink)', fontSize: '12px', fontFamily: 'inherit', overflow: 'visible'};
const noCharts = () => element('p', {class: 'notice'}, element('strong', {}, 'Left out: '), DATA.no_charts || 'this page was made without the chart library.');
