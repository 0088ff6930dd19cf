// Thread instructions per cycle over thread instructions per byte: the limits of the machine, and the points
// of the runs.
const LEVEL_COLOURS = {L1: 'var(--p-l1)', LLC: 'var(--p-llc)', DRAM: 'var(--p-memory)'};
const roofsOf = run => run.machine && run.machine.roofs.issue && run.machine.roofs.thread_instructions > 0 && run.machine.roofs.levels.length ? run.machine.roofs : null;

function rooflineView(host) {
  const shown = runNames().filter(one => roofsOf(one.run));
  if (!shown.length) { host.append(element('p', {class: 'soft'}, 'No roofline: the run executed no instructions of SMs, or its machine has no LLC.')); return; }
  const points = shown.flatMap(({run, tag}) => roofsOf(run).levels.map(level => {
    const cycles = run.stats.summary.cycles, ipc = roofsOf(run).thread_instructions / cycles, intensity = roofsOf(run).thread_instructions / level.bytes;
    return {tag, level: level.name, intensity, ipc, peak: level.peak, used: level.bytes / cycles / level.peak, issue: roofsOf(run).issue, roof: Math.min(roofsOf(run).issue, level.peak * intensity)};
  }));
  host.append(swatches(Object.entries(LEVEL_COLOURS).filter(([name]) => points.some(p => p.level === name)).map(([name, colour]) => [`${name}: ${shown.map(one => { const level = roofsOf(one.run).levels.find(l => l.name === name); return level ? bytes(level.peak) : '\u2013'; }).filter((v, i, all) => all.indexOf(v) === i).join(' and ')} per cycle`, colour])));
  const rows = points.map(p => [(shown.length > 1 ? p.tag + ', ' : '') + p.level, figure(Number(p.intensity.toPrecision(4))), figure(Number(p.ipc.toPrecision(4))), figure(Number(p.roof.toPrecision(4))), percent(p.ipc / p.roof), percent(p.used)]);
  const figures = table(['level', 'thread instructions per byte', 'IPC', 'roof there', 'of the roof', 'bandwidth used'], rows);
  if (!HAS_CHARTS) { host.append(noCharts(), figures); return; }
  const ridges = shown.flatMap(({run}) => roofsOf(run).levels.map(level => roofsOf(run).issue / level.peak));
  const xs = [...points.map(p => p.intensity), ...ridges], low = Math.min(...xs) / 4, high = Math.max(...xs) * 4;
  const issue = Math.max(...points.map(p => p.issue)), bottom = Math.min(...points.map(p => p.ipc), issue / 30) / 3;
  const lines = shown.flatMap(({run, tag}, s) => roofsOf(run).levels.flatMap(level => {
    const {issue} = roofsOf(run), ridge = issue / level.peak, from = Math.max(low, bottom / level.peak);
    return [[from, level.peak * from], [ridge, issue], [high, issue]].map(([x, y]) => ({x, y, z: tag + level.name, level: level.name, s}));
  }));
  const frame = element('figure', {class: 'roofline'});
  host.append(frame);
  const width = frame.clientWidth;
  frame.append(Plot.plot({width, height: Math.min(420, Math.max(300, width * 0.42)), marginLeft: 56, marginRight: 20, marginTop: 26, marginBottom: 42, style: chartStyle,
    x: {type: 'log', domain: [low, high], label: 'thread instructions per byte \u2192', labelAnchor: 'center', labelOffset: 36, grid: true, ticks: width < 500 ? 3 : 6, tickFormat: v => figure(Number(v.toPrecision(1)))},
    y: {type: 'log', domain: [bottom, issue * 1.8], label: '\u2191 thread instructions per cycle', grid: true, ticks: 5, tickFormat: v => figure(Number(v.toPrecision(1)))},
    color: {domain: Object.keys(LEVEL_COLOURS), range: Object.values(LEVEL_COLOURS)},
    marks: [
      Plot.line(lines.filter(l => l.s === 0), {x: 'x', y: 'y', z: 'z', stroke: 'level', strokeWidth: 2.2}),
      Plot.line(lines.filter(l => l.s === 1), {x: 'x', y: 'y', z: 'z', stroke: 'level', strokeWidth: 1.4, strokeDasharray: '5 4'}),
      Plot.link(points, {x1: 'intensity', x2: 'intensity', y1: 'ipc', y2: 'roof', stroke: 'level', strokeDasharray: '2 3'}),
      Plot.dot(points, {x: 'intensity', y: 'ipc', r: 6, fill: p => p.tag === 'A' ? LEVEL_COLOURS[p.level] : 'var(--paper)', stroke: 'level', strokeWidth: 2.5}),
      Plot.text([{x: high, y: issue}], {x: 'x', y: 'y', text: () => `issue: ${figure(issue)} per cycle`, dy: -9, textAnchor: 'end', fill: 'var(--soft)'}),
      ...[['A', 17], ['B', -16]].map(([tag, dy]) => Plot.text(points.filter(p => p.tag === tag), {dy, x: 'intensity', y: 'ipc', text: p => (shown.length > 1 ? p.tag + ' ' : '') + p.level, fontWeight: 600, fill: 'var(--ink)', stroke: 'var(--paper)', strokeWidth: 4})),
      Plot.tip(points, Plot.pointer({x: 'intensity', y: 'ipc', fill: 'var(--paper)', stroke: 'var(--line)', title: p => `${shown.length > 1 ? p.tag + ', ' : ''}${p.level}\n${figure(p.intensity)} thread instructions per byte\nIPC ${figure(p.ipc)} of ${figure(p.roof)} under the roof: ${percent(p.ipc / p.roof)}\nbandwidth used: ${percent(p.used)} of ${bytes(p.peak)} per cycle`})),
    ]}));
  host.append(details('The roofline as a table', figures));
}
