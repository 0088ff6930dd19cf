// Cycles of an access by place, in the order of its path: of the whole run, or of a kernel if the run has one
// ledger per kernel ("name NAME", "launch NUMBER").
function ledgerOf(run) {
  if (!state.kernel) return run.stats.ledger;
  const [, kind, which] = state.kernel.match(/^(name|launch) (.*)$/), parts = run.kernel_parts;
  const part = parts && (kind === 'name' ? parts.names.find(p => p.name === which) : parts.launches.find(p => String(p.kernel) === which));
  return part ? part.ledger : {};
}

function ledgerRows(run, name) {
  const group = ledgerOf(run)[name];
  if (!group || !group.accesses) return null;
  let at = 0;
  const rows = Object.entries(group.cycles).map(([key, cycles]) => {
    const place = key.slice(0, key.lastIndexOf('.')), value = cycles / group.accesses;
    const row = {key, place, cause: key.slice(place.length + 1), value, share: group.latency ? cycles / group.latency : 0, from: at, to: at + value};
    at += value;
    return row;
  });
  return {rows: rows.filter(row => row.value > 0), mean: group.latency / group.accesses, accesses: group.accesses};
}

function ledgerTable(ledger) {
  return notOnPaper(details('The ledger as a table', table(['place.cause', 'cycles per access', 'share'], [...ledger.rows.map(row => [row.key, figure(row.value), percent(row.share)]), ['all', figure(ledger.mean), percent(1)]])));
}

function waterfall(run, width, ledger, most) {
  const places = [...new Set(ledger.rows.map(row => row.place))];
  const keys = ledger.rows.map(row => row.key), left = Math.min(150, 12 + 7 * Math.max(...keys.map(k => k.length)));
  const label = row => figure(Number(row.value.toPrecision(3))) + (row.share >= 0.05 ? `  (${(100 * row.share).toFixed(0)}\u202f%)` : '');
  const right = row => row.to < most * 0.8;
  const chart = Plot.plot({
    width, height: 46 + 19 * keys.length, marginLeft: left, marginRight: 16, marginTop: 4, marginBottom: 38, style: chartStyle,
    x: {label: 'cycles of a mean access \u2192', domain: [0, most], grid: true, labelAnchor: 'center', labelOffset: 34}, y: {domain: keys, label: null, tickSize: 0, padding: 0.18},
    color: {domain: places, range: places.map(place => placeColour(place, run))},
    marks: [
      Plot.link(ledger.rows.slice(0, -1).map((row, i) => ({x: row.to, y1: row.key, y2: ledger.rows[i + 1].key})), {x: 'x', y1: 'y1', y2: 'y2', stroke: 'var(--line)'}),
      Plot.barX(ledger.rows, {x1: 'from', x2: 'to', y: 'key', fill: 'place', rx: 2, insetLeft: -0.5, insetRight: -0.5}),
      Plot.text(ledger.rows.filter(right), {x: 'to', y: 'key', text: label, dx: 6, textAnchor: 'start', fill: 'var(--ink)'}),
      Plot.text(ledger.rows.filter(row => !right(row)), {x: 'from', y: 'key', text: label, dx: -6, textAnchor: 'end', fill: 'var(--ink)'}),
      Plot.tip(ledger.rows, Plot.pointerY({x: row => (row.from + row.to) / 2, y: 'key', fill: 'var(--paper)', stroke: 'var(--line)', title: row => `${row.key}\n${figure(row.value)} cycles per access, ${percent(row.share)}\nfrom cycle ${figure(row.from)} to ${figure(row.to)} of a mean access`})),
    ]});
  chart.setAttribute('role', 'img');
  chart.setAttribute('aria-label', `Waterfall of ${figure(ledger.mean)} cycles over ${keys.length} causes`);
  return chart;
}

/// The whole ledger in one bar: one segment per place.
function placeStrip(run, width, ledger) {
  return strip(width, [...new Set(ledger.rows.map(row => row.place))].map(place => {
    const share = sum(ledger.rows.filter(row => row.place === place).map(row => row.share));
    return {name: place, share, colour: placeColour(place, run), rows: [['share of the latency', percent(share)], ['cycles per access', figure(share * ledger.mean)]]};
  }));
}

function drawLedger(run, width, most) {
  const ledger = ledgerRows(run, state.group);
  if (!ledger) return null;
  return [
    element('p', {}, `A mean ${state.group.replace(/s$/, '')} takes `, element('b', {}, figure(Number(ledger.mean.toPrecision(4)))), ` cycles (${figure(ledger.accesses)} ${state.group}).`),
    element('figure', {}, placeStrip(run, width, ledger)),
    HAS_CHARTS ? element('figure', {class: 'waterfall'}, waterfall(run, width, ledger, most)) : noCharts(),
    ledgerTable(ledger)];
}

/// From the mean of A to the mean of B: what each cause adds or saves.
function drawBridge(host) {
  const [a, b] = runNames().map(one => ledgerRows(one.run, state.group));
  if (!a || !b) return;
  const keys = [...new Set([...a.rows, ...b.rows].map(row => row.key))];
  const value = (ledger, key) => (ledger.rows.find(row => row.key === key) || {value: 0}).value;
  const change = keys.map(key => ({key, by: value(b, key) - value(a, key)})).sort((x, y) => Math.abs(y.by) - Math.abs(x.by));
  const shown = change.filter(row => Math.abs(row.by) >= 0.01 * Math.max(a.mean, b.mean)).slice(0, 10), rest = sum(change.map(r => r.by)) - sum(shown.map(r => r.by));
  if (Math.abs(rest) > 1e-9) shown.push({key: `${change.length - shown.length} others`, by: rest});
  let at = a.mean;
  const steps = [{key: 'A', from: 0, to: a.mean, kind: 'a'}, ...shown.map(row => { const step = {key: row.key, from: at, to: at + row.by, by: row.by, kind: row.by > 0 ? 'more' : 'less'}; at += row.by; return step; }), {key: 'B', from: 0, to: b.mean, kind: 'b'}];
  const first = shown[0];
  host.append(element('h3', {}, 'Sources of the difference'), element('p', {},
    `A mean ${state.group.replace(/s$/, '')} takes ${figure(Number(a.mean.toPrecision(4)))} cycles in A and ${figure(Number(b.mean.toPrecision(4)))} in B (${signed(b.mean / a.mean - 1)})` + (first && Math.abs(first.by) > 1e-9 ? `; most of that is ${first.key}: ${first.by > 0 ? '+' : '\u2212'}${figure(Number(Math.abs(first.by).toPrecision(3)))} cycles.` : '.')));
  if (!HAS_CHARTS) { host.append(table(['cause', 'cycles'], shown.map(row => [row.key, figure(row.by)]))); return; }
  const colours = {a: 'var(--a)', b: 'var(--b)', more: 'var(--bad)', less: 'var(--good)'};
  const figureNode = element('figure', {class: 'bridge'});
  host.append(figureNode);
  const width = figureNode.clientWidth, top = Math.max(...steps.map(s => Math.max(s.from, s.to))) * 1.12;
  figureNode.append(Plot.plot({width, height: 40 + 22 * steps.length, marginLeft: Math.min(150, 14 + 7 * Math.max(...steps.map(s => s.key.length))), marginRight: 16, marginTop: 4, marginBottom: 36, style: chartStyle,
    x: {label: 'cycles of a mean access \u2192', domain: [0, top], grid: true, labelAnchor: 'center', labelOffset: 33}, y: {domain: steps.map(s => s.key), label: null, tickSize: 0, padding: 0.2},
    marks: [
      Plot.barX(steps, {x1: s => Math.min(s.from, s.to), x2: s => Math.max(s.from, s.to), y: 'key', fill: s => colours[s.kind], rx: 2}),
      Plot.link(steps.slice(0, -1).map((s, i) => ({x: s.to, y1: s.key, y2: steps[i + 1].key})), {x: 'x', y1: 'y1', y2: 'y2', stroke: 'var(--soft)', strokeDasharray: '2 3'}),
      Plot.text(steps, {x: s => Math.max(s.from, s.to), y: 'key', dx: 6, textAnchor: 'start', fill: 'var(--ink)', text: s => s.by === undefined ? figure(Number(s.to.toPrecision(4))) : (s.by > 0 ? '+' : '\u2212') + figure(Number(Math.abs(s.by).toPrecision(3)))}),
      Plot.tip(steps, Plot.pointerY({x: 'to', y: 'key', fill: 'var(--paper)', stroke: 'var(--line)', title: s => s.by === undefined ? `${s.key}: ${figure(s.to)} cycles` : `${s.key}: ${s.by > 0 ? '+' : '\u2212'}${figure(Math.abs(s.by))} cycles`})),
    ]}));
}

/// Picks a kernel of run A.
function kernelPicker() {
  const parts = RUNS[state.a].kernel_parts;
  if (!parts) { state.kernel = ''; return null; }
  const options = [['', 'the whole run'], ...parts.names.map(p => ['name ' + p.name, `${shortKernel(p.name)}, ${p.launches === 1 ? 'its launch' : `all ${figure(p.launches)} launches`}`]),
    ...(parts.launches.length > parts.names.length ? parts.launches.map(p => ['launch ' + p.kernel, `launch ${p.kernel}: ${shortKernel(p.name)}`]) : [])];
  if (!options.some(([key]) => key === state.kernel)) state.kernel = '';
  const pick = element('select', {id: 'pick-kernel', 'aria-label': 'Kernel'}, options.map(([key, words]) => element('option', {value: key, selected: key === state.kernel}, words)));
  pick.addEventListener('change', () => { state.kernel = pick.value; renderOne('ledger'); document.getElementById('pick-kernel').focus(); });
  return element('p', {}, 'Latency of ', pick);
}

function ledgerView(host) {
  const kernels = kernelPicker();
  if (kernels) host.append(kernels);
  const groups = ['loads', 'stores', 'atomics'].filter(name => runNames().some(one => ledgerRows(one.run, name)));
  if (!groups.length) { host.append(element('p', {class: 'soft'}, 'No access was counted.')); return; }
  if (!groups.includes(state.group)) state.group = groups[0];
  if (groups.length > 1) host.append(choice('Accesses', groups, state.group, pick => { state.group = pick; renderOne('ledger'); }));
  const run = RUNS[state.a], places = [...new Set(runNames().flatMap(one => (ledgerRows(one.run, state.group) || {rows: []}).rows.map(row => row.place)))];
  host.append(swatches(places.map(place => [place, placeColour(place, runNames().map(one => one.run).find(r => r.stats.ledger_places[place] !== undefined) || run)])));
  const most = 1.04 * Math.max(...runNames().map(one => (ledgerRows(one.run, state.group) || {mean: 0}).mean));
  panes(host, (one, width) => drawLedger(one, width, most), {absent: `This run has no ${state.group}${state.kernel ? ' of such a kernel' : ''}.`});
  if (state.b !== null) drawBridge(host);
}
