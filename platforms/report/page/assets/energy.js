// Energy of a run, if `strata energy` can compute it.
const ENERGY_NAMES = {noc: 'NoC', caches: 'caches', dram: 'DRAM', sms: 'SMs', other: 'other'};
const ENERGY_KINDS = [['dynamic', 'var(--p-noc)'], ['leakage', 'var(--p-l1)'], ['clock', 'var(--p-sm)']];
const joules = v => !isNumber(v) ? '\u2013' : v >= 1 ? figure(v) + ' J' : v >= 1e-3 ? figure(Number((1e3 * v).toPrecision(4))) + ' mJ' : figure(Number((1e6 * v).toPrecision(4))) + ' \u00b5J';

function drawEnergy(run, width, most) {
  const energy = run.energy;
  if (!energy || !energy.groups.length) return null;
  const [low, nominal, high] = energy.total, seconds = energy.seconds;
  const nodes = [element('p', {}, element('b', {}, joules(nominal)), ` in all (${joules(low)} to ${joules(high)})` + (seconds > 0 ? `, ${figure(Number((nominal / seconds).toPrecision(4)))} W.` : '.'))];
  const scale = most >= 1 ? [1, 'J'] : most >= 1e-3 ? [1e3, 'mJ'] : [1e6, '\u00b5J'];
  const bars = energy.groups.flatMap(group => { let at = 0; return ENERGY_KINDS.map(([kind]) => { const bar = {group: ENERGY_NAMES[group.name], kind, from: at * scale[0], to: (at + group[kind]) * scale[0], value: group[kind]}; at += group[kind]; return bar; }); }).filter(bar => bar.value > 0);
  const spans = energy.groups.map(group => ({group: ENERGY_NAMES[group.name], low: group.total[0] * scale[0], high: group.total[2] * scale[0], words: joules(group.total[1])}));
  if (HAS_CHARTS) nodes.push(element('figure', {class: 'energy'}, Plot.plot({width, height: 50 + 34 * energy.groups.length, marginLeft: 62, marginRight: 74, marginTop: 4, marginBottom: 38, style: chartStyle,
    x: {domain: [0, most * scale[0]], label: scale[1] + ' \u2192', labelAnchor: 'center', labelOffset: 34, grid: true}, y: {domain: spans.map(s => s.group), label: null, tickSize: 0, padding: 0.28}, color: {domain: ENERGY_KINDS.map(k => k[0]), range: ENERGY_KINDS.map(k => k[1])},
    marks: [Plot.barX(bars, {x1: 'from', x2: 'to', y: 'group', fill: 'kind'}), Plot.link(spans, {x1: 'low', x2: 'high', y1: 'group', y2: 'group', stroke: 'var(--ink)', strokeWidth: 1.5, markerStart: 'tick', markerEnd: 'tick'}),
      Plot.text(spans, {x: s => s.high, y: 'group', text: 'words', dx: 8, textAnchor: 'start', fill: 'var(--ink)'}),
      Plot.tip(bars, Plot.pointer({x: b => (b.from + b.to) / 2, y: 'group', fill: 'var(--paper)', stroke: 'var(--line)', title: b => `${b.group}, ${b.kind}: ${joules(b.value)}`}))]})));
  else nodes.push(noCharts());
  nodes.push(details('Energy as a table', table(['group', 'dynamic', 'leakage', 'clock', 'all', 'low', 'high'], energy.groups.map(g => [ENERGY_NAMES[g.name], joules(g.dynamic), joules(g.leakage), joules(g.clock), joules(g.total[1]), joules(g.total[0]), joules(g.total[2])]))));
  if (energy.not_counted.length) nodes.push(element('p', {class: 'soft'}, 'Not counted: ' + energy.not_counted.join('; ') + '.'));
  return nodes;
}
function energyView(host) {
  host.append(swatches(ENERGY_KINDS));
  const most = 1e-12 + Math.max(...runNames().map(one => one.run.energy ? Math.max(0, ...one.run.energy.groups.map(g => g.total[2])) : 0));
  panes(host, (run, width) => drawEnergy(run, width, most), {absent: 'No energy figures: see what is left out above.'});
}
