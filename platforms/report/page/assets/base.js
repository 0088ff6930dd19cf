'use strict';
const DATA = JSON.parse(document.getElementById('data').textContent);
const RUNS = DATA.runs;
const HAS_CHARTS = typeof Plot !== 'undefined';
const state = {a: 0, b: RUNS.length > 1 ? 1 : null, theme: 'system', group: 'loads', kernel: ''};

// ---- numbers -------------------------------------------------------------------------------------------------------
const isNumber = v => typeof v === 'number' && isFinite(v);
const grouped = v => Math.round(v).toString().replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009');
/// At least four significant digits; whole numbers without decimals.
function figure(v, digits = 4) {
  if (!isNumber(v)) return '\u2013';
  if (Number.isInteger(v) && Math.abs(v) < 1e15) return grouped(v);
  const size = Math.abs(v);
  if (size >= 999.5 && digits === 4) return grouped(v);
  if (size !== 0 && size < 0.001) return v.toExponential(2).replace(/e-(\d+)/, (_, power) => '\u202f\u00d7\u202f10\u207b' + [...power].map(d => '\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079'[d]).join(''));
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
function seconds(v) {
  for (const [unit, size] of [['s', 1], ['ms', 1e-3], ['\u00b5s', 1e-6]]) if (v >= size) return figure(Number((v / size).toPrecision(4))) + '\u202f' + unit;
  return figure(Number((v * 1e9).toPrecision(4))) + '\u202fns';
}
/// Imbalance between the members of a group: largest over mean, and the Gini coefficient.
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
/// `sort`: a click on a column head sorts by it, largest numbers first; a second click reverses the order.
function table(columns, rows, options = {}) {
  const cell = value => value instanceof Node && value.tagName === 'TD' ? value : element('td', {}, value);
  const body = element('tbody', {}, rows.map(row => element('tr', {}, row.map(value => cell(value)))));
  const text = i => rows.length && rows[0][i] instanceof Node && /left|code|words|kernel-name/.test(rows[0][i].className) ? 'left' : null;
  const head = columns && element('tr', {}, columns.map((name, i) => options.sort && rows.length > 1 ? element('th', {'aria-sort': 'none', class: text(i)}, sortButton(name, i, body)) : element('th', {class: text(i)}, name)));
  return element('div', {class: 'scroll ' + (options.class || ''), tabindex: 0}, element('table', {}, head ? element('thead', {}, head) : null, body));
}
/// A cell that is sorted by `value` instead of its text; null comes last.
const sorted = (value, content, attributes = {}) => element('td', {...attributes, 'data-sort': value === null || value === undefined ? '' : String(value)}, content);
/// The sort key of a cell: a number if it shows one, null if it is empty.
function sortValue(cell) {
  const text = cell.dataset.sort !== undefined ? cell.dataset.sort : cell.textContent.trim();
  if (text === '' || text === '\u2013') return null;
  const plain = text.replace(/[\u2009\u202f%]/g, '').replace('\u2212', '-');
  return isFinite(plain) ? Number(plain) : text;
}
function sortButton(name, column, body) {
  const button = element('button', {type: 'button', class: 'head', 'aria-label': 'Sort by ' + name}, name);
  button.addEventListener('click', () => {
    const values = new Map([...body.rows].map(row => [row, sortValue(row.cells[column])])), texts = [...values.values()].some(v => typeof v === 'string');
    const th = button.parentNode, was = th.getAttribute('aria-sort'), down = was === 'none' ? !texts : was === 'ascending';
    const order = (x, y) => texts ? String(x).localeCompare(String(y), 'en', {numeric: true}) : x - y;
    body.append(...[...body.rows].sort((p, q) => { const x = values.get(p), y = values.get(q); return x === null || y === null ? (x === null) - (y === null) : down ? order(y, x) : order(x, y); }));
    for (const other of th.parentNode.cells) if (other !== th) other.setAttribute('aria-sort', 'none');
    th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  });
  return button;
}
const details = (words, ...children) => element('details', {}, element('summary', {}, words), ...children);
/// What paper does without: long, or of use only on a screen.
const notOnPaper = node => { node.classList.add('screen'); return node; };
/// Buttons, one of which is pressed.
function choice(words, options, now, pick) {
  return element('div', {class: 'choice', role: 'group', 'aria-label': words}, options.map(option => {
    const button = element('button', {type: 'button', 'aria-pressed': String(option === now)}, option);
    button.addEventListener('click', () => pick(option));
    return button;
  }));
}
const swatches = entries => element('div', {class: 'legend'}, entries.map(([words, colour, kind]) =>
  element('span', {}, element('i', {style: 'background:' + colour, class: kind}), words)));

/// The name of a kernel without its parameters, short enough for charts.
function shortKernel(name) {
  const plain = name.replace(/^void /, '').replace(/\(anonymous namespace\)/g, '{anonymous}');
  let depth = 0;
  for (let i = 1; i < plain.length; ++i) {
    if (plain[i] === '<') ++depth; else if (plain[i] === '>') --depth;
    else if (plain[i] === '(' && depth === 0 && !plain.slice(0, i).endsWith('operator')) return plain.slice(0, i);
  }
  return plain;
}
/// Shares of a whole in one bar. A part shows its name if it fits, and in its tooltip. Parts: {name, share,
/// colour, rows}.
function strip(width, parts) {
  let at = 0;
  const svg = drawn('svg', {class: 'strip', viewBox: `0 0 ${width} 34`, width, height: 34, role: 'img', 'aria-label': parts.map(p => `${p.name} ${percent(p.share)}`).join(', ')});
  for (const one of parts) {
    const w = one.share * width, rect = drawn('rect', {x: at, y: 2, width: Math.max(0.5, w - 1.5), height: 26, rx: 3, fill: one.colour, 'data-place': one.name});
    answers(rect, () => tipLines(one.name, one.rows));
    svg.append(rect);
    const words = `${one.name} ${(100 * one.share).toFixed(0)}\u202f%`;
    if (w > 8 * words.length) svg.append(drawn('text', {x: at + w / 2, y: 20, 'text-anchor': 'middle', 'font-size': 13, 'font-weight': 650, fill: 'var(--paper)', 'pointer-events': 'none'}, words));
    at += w;
  }
  return svg;
}

const pen = document.createElement('canvas').getContext('2d');
/// As much of a text as fits in `width` pixels.
function cutText(text, width, size) {
  pen.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  if (pen.measureText(text).width <= width) return text;
  let letters = text.length - 1;
  while (letters > 1 && pen.measureText(text.slice(0, letters) + '\u2026').width > width) --letters;
  return text.slice(0, letters) + '\u2026';
}

// ---- tooltip -------------------------------------------------------------------------------------------
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
/// Shows `content` while the pointer is on an element. A tooltip opened by a key stays if the page moves
/// below a resting pointer.
function answers(node, content) {
  node.addEventListener('pointermove', event => { if (!tipByKey || event.movementX || event.movementY) showTip(event.clientX, event.clientY, content()); });
  node.addEventListener('pointerleave', () => { if (!tipByKey) hideTip(); });
}
const tipLines = (title, rows) => [element('b', {}, title), element('table', {}, element('tbody', {}, rows.map(row => element('tr', {}, row.map(v => element('td', {}, v))))))];
addEventListener('scroll', () => { if (!tipByKey) hideTip(); }, {passive: true});  // focusing may scroll the page
addEventListener('keydown', event => { if (event.key === 'Escape') hideTip(); });

// ---- colours --------------------------------------------------------------------------------------------------------
const PLACE_COLOURS = {sm: '--p-sm', l1: '--p-l1', noc: '--p-noc', llc: '--p-llc', memory: '--p-memory'};
const SPARE_COLOURS = ['--p-other', '--p-other2', '--p-other3'];
/// Colour of a ledger place: by the role of its blocks. Places of one role get shades of its colour only if
/// they must be distinguished.
function placeColour(place, run) {
  const roles = {sm: 'sm', l1: 'l1', router: 'noc', llc: 'llc', memory: 'memory', channel: 'memory'};
  const named = PLACE_COLOURS[place] || PLACE_COLOURS[roles[run.stats.ledger_places[place]]];
  const taken = Object.keys(run.stats.ledger_places).filter(other => PLACE_COLOURS[roles[run.stats.ledger_places[other]]] === named && PLACE_COLOURS[other] === undefined);
  if (named && (PLACE_COLOURS[place] || taken.indexOf(place) <= 0)) return `var(${named})`;
  return `var(${SPARE_COLOURS[Math.abs([...place].reduce((h, c) => h + c.charCodeAt(0), 0)) % SPARE_COLOURS.length]})`;
}
/// Style of a load between 0 and 1: interpolated between two of the stops --load0 to --load3.
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
/// The runs side by side, each drawn by `draw(run, width, shown)`, which returns nodes or null.
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
