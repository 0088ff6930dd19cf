// Events over time: series of epochs, the LLC's organization, and heat maps.
function epochsOf(run) {
  const data = run.epochs;
  if (!data || data.rows.length === 0) return null;
  const ends = columnOf(data, 'end_cycle'), lengths = columnOf(data, 'cycles');
  return {data, ends, lengths, get: name => columnOf(data, name), per: (over, under) => {
    const x = columnOf(data, over), y = under === 'cycles' ? lengths : columnOf(data, under);
    return x && y ? x.map((v, i) => y[i] > 0 ? v / y[i] : null) : null;
  }};
}

/// Panels of a run, one above the other: only those with data.
function panelsOf(run) {
  const epochs = epochsOf(run);
  if (!epochs) return [];
  const channels = run.machine ? sum(run.machine.groups.filter(g => g.role === 'channel').map(g => g.count)) : 0;
  const peaks = run.machine ? Object.fromEntries(run.machine.roofs.levels.map(level => [level.name, level.peak])) : {};
  const panels = [];
  const add = (title, curves) => { const there = curves.filter(c => c.values && c.values.some(v => v)); if (there.length) panels.push({title, curves: there}); };
  add('Thread instructions per cycle (IPC)', [{name: 'IPC', colour: 'var(--p-sm)', values: epochs.per('thread_instructions', 'cycles')}]);
  add('SMs that have work', [{name: 'SMs', colour: 'var(--p-sm)', values: epochs.per('sm_active_cycles', 'cycles')}]);
  add('Share of accesses that hit', [{name: 'L1', colour: 'var(--p-l1)', values: epochs.per('l1_hits', 'l1_accesses')}, {name: 'LLC', colour: 'var(--p-llc)', values: epochs.per('llc_hits', 'llc_accesses')}]);
  add('Requests per cycle', [{name: 'L1', colour: 'var(--p-l1)', values: epochs.per('l1_accesses', 'cycles')}, {name: 'LLC', colour: 'var(--p-llc)', values: epochs.per('llc_accesses', 'cycles')},
    {name: 'DRAM', colour: 'var(--p-memory)', values: (() => { const r = epochs.per('dram_reads', 'cycles'), w = epochs.per('dram_writes', 'cycles'); return r && r.map((v, i) => v + (w ? w[i] : 0)); })()}]);
  if (channels && peaks.DRAM) add('Share of DRAM bus cycles that move data', [{name: 'DRAM bus', colour: 'var(--p-memory)', values: (() => {
    const busy = epochs.get('dram_bus_busy'), clock = busyClock(run);
    return busy && clock && busy.map((v, i) => v / (epochs.lengths[i] * clock * channels)); })()}]);
  if (run.slices && run.slices.columns.length > 3) add('LLC slices that work in parallel', [{name: 'slices', colour: 'var(--p-llc)', values: parallelism(run.slices)}]);
  return panels.map(panel => ({...panel, ends: epochs.ends, lengths: epochs.lengths}));
}
/// Cycles of the DRAM channels per core cycle, as the run counted them.
function busyClock(run) {
  const group = run.machine.groups.find(g => g.role === 'channel'), block = group && run.counters[group.name];
  return block && block.counters.cycles && run.stats.summary.cycles ? block.counters.cycles[0] / run.stats.summary.cycles : null;
}
const parallelism = slices => slices.rows.map(row => { const values = row.slice(2), most = Math.max(...values); return most > 0 ? sum(values) / most : null; });

/// Cycles of the last epoch if it is shorter than the others, otherwise none; its rates refer to these.
/// Merged epochs count as one.
const partialEpoch = lengths => lengths.length > 1 && lengths[lengths.length - 1] < lengths[0] ? lengths[lengths.length - 1] : null;
const partialWords = lengths => partialEpoch(lengths) === null ? null : `The last epoch, shaded, has ${figure(partialEpoch(lengths))} cycles; its rates are of these.`;

/// One panel: one step per epoch, so that nothing is drawn that was not counted.
function panelChart(panel, width, end, most) {
  const last = panel.ends.length - 1, partial = partialEpoch(panel.lengths);
  const points = panel.curves.flatMap(curve => curve.values.flatMap((value, i) => value === null ? [] : [
    {x: panel.ends[i] - panel.lengths[i], name: curve.name, value}, {x: panel.ends[i], name: curve.name, value}]));
  const middles = panel.curves.flatMap(curve => curve.values.map((value, i) => ({x: panel.ends[i] - panel.lengths[i] / 2, i, name: curve.name, value})));
  const top = most * 1.08 || 1;
  const share = panel.title.startsWith('Share');
  const chart = Plot.plot({width, height: 128, marginLeft: 48, marginRight: 14, marginTop: 8, marginBottom: 26, style: chartStyle,
    x: {domain: [0, end], label: null, ticks: Math.max(2, Math.round(width / 130)), tickFormat: grouped}, y: {domain: [0, share ? Math.min(1, top) : top], grid: true, ticks: 4, label: null, percent: false, tickFormat: share ? v => Number((100 * v).toPrecision(3)) + '\u202f%' : v => figure(v)},
    color: {domain: panel.curves.map(c => c.name), range: panel.curves.map(c => c.colour)},
    marks: [
      partial ? Plot.rect([last], {x1: i => panel.ends[i] - panel.lengths[i], x2: i => panel.ends[i], y1: 0, y2: share ? Math.min(1, top) : top, fill: 'var(--faint)', className: 'partial'}) : null,
      panel.curves.length === 1 ? Plot.areaY(points, {x: 'x', y1: 0, y2: 'value', fill: panel.curves[0].colour, fillOpacity: 0.16}) : null,
      Plot.lineY(points, {x: 'x', y: 'value', stroke: 'name', strokeWidth: 1.7, clip: true}),
      Plot.ruleX(middles, Plot.pointerX({x: 'x', stroke: 'var(--soft)', strokeOpacity: 0.6})),
      Plot.tip(middles.filter(p => p.name === panel.curves[0].name), Plot.pointerX({x: 'x', y: 'value', fill: 'var(--paper)', stroke: 'var(--line)', title: p => `to cycle ${figure(panel.ends[p.i])}${partial && p.i === last ? `, an epoch of ${figure(partial)} cycles only` : ''}\n` + panel.curves.map(c => `${c.name}: ${share ? percent(c.values[p.i]) : figure(c.values[p.i])}`).join('\n')})),
    ]});
  chart.setAttribute('role', 'img');
  chart.setAttribute('aria-label', panel.title + ' over time');
  return chart;
}

/// When the LLC was shared, private, or changing, and why.
function organizationOf(run, width, end) {
  const epochs = epochsOf(run);
  if (!epochs) return [];
  const own = epochs.get('llc_private_cycles'), degree = epochs.get('llc_degree_cycles'), moving = epochs.get('llc_transition_cycles');
  const nodes = [];
  if (own && degree) {
    const kinds = [['shared', 'var(--p-llc)'], ['private', 'var(--p-sm)'], ['changing', 'var(--p-memory)']];
    const bars = epochs.lengths.flatMap((length, i) => {
      const p = Math.min(1, own[i] / length), t = Math.min(1 - p, moving ? moving[i] / length : 0), x1 = epochs.ends[i] - length, x2 = epochs.ends[i];
      return [['shared', 0, 1 - p - t], ['private', 1 - p - t, 1 - t], ['changing', 1 - t, 1]].filter(([, y1, y2]) => y2 > y1).map(([kind, y1, y2]) => ({x1, x2, y1, y2, kind, i}));
    });
    nodes.push(element('h3', {}, 'Organization of the LLC'), swatches(kinds), Plot.plot({width, height: 79, marginLeft: 48, marginRight: 14, marginTop: 9, marginBottom: 26, style: chartStyle,
      x: {domain: [0, end], label: null, ticks: Math.max(2, Math.round(width / 130)), tickFormat: grouped}, y: {domain: [0, 1], ticks: 2, label: null, tickFormat: v => 100 * v + '\u202f%'}, color: {domain: kinds.map(k => k[0]), range: kinds.map(k => k[1])},
      marks: [Plot.rect(bars, {x1: 'x1', x2: 'x2', y1: 'y1', y2: 'y2', fill: 'kind', insetLeft: -0.3, insetRight: -0.3}),
        run.llc_choices ? Plot.ruleX(columnOf(run.llc_choices, 'cycle'), {stroke: 'var(--ink)', strokeWidth: 1.5}) : null,
        Plot.tip(bars, Plot.pointerX({x: b => (b.x1 + b.x2) / 2, y: b => (b.y1 + b.y2) / 2, fill: 'var(--paper)', stroke: 'var(--line)', title: b => `to cycle ${figure(epochs.ends[b.i])}\nshared ${percent(1 - Math.min(1, own[b.i] / epochs.lengths[b.i]))}\nmean degree of replication ${figure(degree[b.i] / epochs.lengths[b.i])}`}))].filter(Boolean)}));
  }
  if (run.llc_choices && run.llc_choices.rows.length) {
    const {columns, rows} = run.llc_choices;
    nodes.push(notOnPaper(details(`Decisions (${rows.length} lines)`, table(columns, rows.map(row => row.map(v => isNumber(v) ? figure(v) : v === null ? '' : String(v)))))));
  }
  return nodes;
}

const longest = () => Math.max(1, ...runNames().map(one => one.run.stats.summary.cycles || 0));
const mergedWords = data => data && data.merged ? `${data.merged} epochs are put together in each step.` : null;

function drawTime(run, width) {
  const panels = panelsOf(run), end = longest();
  if (!panels.length) return null;
  if (!HAS_CHARTS) return [noCharts()];
  // Runs side by side share one scale.
  const most = title => Math.max(...runNames().flatMap(one => panelsOf(one.run)).filter(p => p.title === title).flatMap(p => p.curves.flatMap(c => c.values)));
  const names = new Map(panels.flatMap(panel => panel.curves.length > 1 ? panel.curves.map(c => [c.name, c.colour]) : []));
  return [names.size ? swatches([...names].map(([name, colour]) => [name, colour, 'line'])) : null,
    ...panels.flatMap(panel => [element('h3', {}, panel.title), element('figure', {class: 'series'}, panelChart(panel, width, end, most(panel.title)))]), ...organizationOf(run, width, end),
    element('p', {class: 'soft'}, ['Core cycles. ', mergedWords(run.epochs), partialWords(epochsOf(run).lengths)].filter(Boolean).join(' '))];
}
const timeView = host => panes(host, drawTime, {absent: 'This run has no epochs.csv.'});

// ---- heat maps ------------------------------------------------------------------------------------------------------------
function heatMap(data, width, words, most) {
  const columns = data.columns.slice(2), nx = data.rows.length, ny = columns.length;
  const values = [];
  for (let y = 0; y < ny; ++y) for (let x = 0; x < nx; ++x) values.push(data.rows[x][y + 2] / Math.max(1, data.rows[x][1]));
  const height = Math.max(120, Math.min(330, ny * 8)) + 30;
  const left = 48, right = 14, top = 9, bottom = 26;
  // Epochs have one length except the last, which is drawn only in part.
  const length = nx > 1 ? data.rows[0][1] : data.rows[0][1] || 1;
  const end = Math.max(longest(), data.rows[nx - 1][0]);
  const chart = Plot.plot({width, height, marginLeft: left, marginRight: right, marginTop: top, marginBottom: bottom, style: chartStyle,
    x: {domain: [0, end], label: null, ticks: Math.max(2, Math.round(width / 130)), tickFormat: grouped}, y: {domain: [ny, 0], label: null, ticks: Math.min(9, ny), tickFormat: v => Number.isInteger(v) && v < ny ? v : ''},
    color: {scheme: 'viridis', domain: [0, most]},
    marks: [Plot.raster(values, {x1: 0, y1: 0, x2: nx * length, y2: ny, width: nx, height: ny, fill: v => v, imageRendering: 'pixelated', clip: true}),
      Plot.rect([{x1: Math.min(end, data.rows[nx - 1][0]), x2: end}], {x1: 'x1', x2: 'x2', y1: 0, y2: ny, fill: 'var(--paper)', stroke: 'var(--paper)'})]});
  const frame = element('div', {class: 'heat', tabindex: 0, role: 'img', 'aria-label': words + ' over time; arrow keys read single values'}, chart);
  const mark = drawn('rect', {fill: 'none', stroke: 'var(--ink)', 'stroke-width': 1.5, visibility: 'hidden', 'pointer-events': 'none'});
  chart.append(mark);
  const w = (width - left - right) * nx * length / end, h = height - top - bottom, here = {x: 0, y: 0};
  const show = (x, y, byKey) => {
    if (x < 0 || y < 0 || x >= nx || y >= ny) { hideTip(); mark.setAttribute('visibility', 'hidden'); return; }
    Object.assign(here, {x, y});
    for (const [key, value] of Object.entries({x: left + x * w / nx, y: top + y * h / ny, width: Math.min(w / nx, width - right - left - x * w / nx), height: h / ny, visibility: 'visible'})) mark.setAttribute(key, value);
    const box = chart.getBoundingClientRect(), scale = box.width / width;
    showTip(box.left + scale * (left + (x + 1) * w / nx), box.top + scale * (top + (y + 1) * h / ny), tipLines(columns[y], [['until cycle', figure(data.rows[x][0]) + (x === nx - 1 && data.rows[x][1] < data.rows[0][1] ? `, ${figure(data.rows[x][1])} cycles only` : '')], ['accesses', figure(data.rows[x][y + 2])], ['per cycle', figure(values[y * nx + x])]]), byKey);
  };
  frame.addEventListener('pointermove', event => { if (tipByKey && !event.movementX && !event.movementY) return; const box = chart.getBoundingClientRect(), scale = box.width / width; show(Math.floor(((event.clientX - box.left) / scale - left) * nx / w), Math.floor(((event.clientY - box.top) / scale - top) * ny / h)); });
  const leave = () => { hideTip(); mark.setAttribute('visibility', 'hidden'); };
  frame.addEventListener('pointerleave', () => { if (!tipByKey) leave(); });
  frame.addEventListener('blur', leave);
  frame.addEventListener('keydown', event => {
    const step = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]}[event.key];
    if (!step) return;
    event.preventDefault();
    show(Math.max(0, Math.min(nx - 1, here.x + step[0])), Math.max(0, Math.min(ny - 1, here.y + step[1])), true);
  });
  return frame;
}

const heatMost = name => Math.max(1e-9, ...runNames().flatMap(one => one.run[name] ? one.run[name].rows.map(row => Math.max(...row.slice(2)) / Math.max(1, row[1])) : []));
function drawHeat(run, width) {
  const nodes = [];
  for (const [name, words, members] of [['slices', 'Accesses of each LLC slice', 'slice'], ['l1s', 'Accesses of each L1', 'L1']]) {
    const data = run[name];
    if (!data || !data.rows.length) continue;
    const totals = data.columns.slice(2).map((_, i) => sum(data.rows.map(row => row[i + 2]))), even = balance(totals), busiest = totals.indexOf(Math.max(...totals));
    const most = heatMost(name);
    nodes.push(element('h3', {}, words), element('div', {class: 'legend'}, element('span', {}, '0', element('span', {class: 'ramp', style: 'background:linear-gradient(90deg,#440154,#3b528b,#21918c,#5ec962,#fde725)'}), figure(Number(most.toPrecision(3))), ' per cycle'),
      even ? element('span', {}, `busiest ${members}: ${data.columns[busiest + 2]}, ${figure(even.max)} \u00d7 the mean; Gini ${even.gini.toFixed(3)}`) : null));
    nodes.push(HAS_CHARTS ? element('figure', {}, heatMap(data, width, words, most)) : noCharts());
    nodes.push(notOnPaper(details(`${words}, summed`, table([members, 'accesses', 'of the mean'], totals.map((total, i) => [data.columns[i + 2], figure(total), figure(total * totals.length / Math.max(1, sum(totals)))])))));
    const words_of_last = partialWords(data.rows.map(row => row[1]));
    if (words_of_last) nodes.push(element('p', {class: 'soft'}, words_of_last.replace(', shaded,', '')));
    if (data.merged) nodes.push(element('p', {class: 'soft'}, mergedWords(data)));
  }
  return nodes.length ? nodes : null;
}
const heatView = host => panes(host, drawHeat, {absent: 'This run has no slices.csv.'});
