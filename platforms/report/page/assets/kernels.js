// Kernels: when each ran, by name and by launch.
const KERNEL_COLOURS = ['--p-noc', '--p-llc', '--p-sm', '--p-l1', '--p-memory', '--p-other2', '--p-other3', '--p-other'];
function kernelsOf(run) {
  if (!run.kernels) return [];
  const at = name => run.kernels.columns.indexOf(name);
  return run.kernels.rows.map(row => ({number: row[at('kernel')], name: String(row[at('name')]), ctas: row[at('ctas')], began: row[at('began')], ended: row[at('ended')], complete: row[at('complete')] === 'yes', application: row[at('application')]}));
}
const nameCell = (name, complete) => element('td', {title: name, class: 'kernel-name'}, shortKernel(name) + (complete ? '' : ' (cut off)'));
/// Further columns of a kernel or launch from kernels.json.
const partHeads = parts => parts ? ['IPC', 'load latency, cycles', 'LLC hit rate', 'limited by'] : [];
const partCells = (parts, part) => !parts ? [] : part ? [figure(part.summary.ipc), figure(part.summary.mean_load_latency), percent(part.summary.llc_hit_rate), element('td', {class: 'words', title: part.sentence}, part.limit || '')] : partHeads(parts).map(() => '');

const MOST_LAUNCHES = 300;
function launchTable(kernels, parts) {
  const longestFirst = [...kernels].sort((x, y) => (y.ended - y.began) - (x.ended - x.began)).slice(0, MOST_LAUNCHES), launches = kernels.filter(k => longestFirst.includes(k));
  const known = parts && parts.launches.length ? parts : null;
  return notOnPaper(details(kernels.length > MOST_LAUNCHES ? `The ${MOST_LAUNCHES} longest of ${figure(kernels.length)} launches` : `All ${figure(kernels.length)} launches`,
    table(['launch', 'kernel', 'CTAs', 'cycles', 'began, cycle', 'ended, cycle', ...partHeads(known)], launches.map(k =>
      [figure(k.number), nameCell(k.name, k.complete), figure(k.ctas), figure(k.ended - k.began), figure(k.began), figure(k.ended), ...partCells(known, known && known.launches.find(p => p.kernel === k.number && (p.application === undefined || String(p.application) === String(k.application))))]), {sort: true, class: 'by-launch'})));
}

function drawKernels(run, width) {
  const kernels = kernelsOf(run);
  if (!kernels.length) return null;
  const byName = new Map();
  for (const kernel of kernels) byName.set(kernel.name, [...(byName.get(kernel.name) || []), kernel]);
  const total = sum(kernels.map(k => k.ended - k.began));
  const names = [...byName].map(([name, list]) => ({name, list, cycles: sum(list.map(k => k.ended - k.began))})).sort((x, y) => y.cycles - x.cycles);
  const colours = new Map(names.map((entry, i) => [entry.name, `var(${KERNEL_COLOURS[Math.min(i, KERNEL_COLOURS.length - 1)]})`]));
  const rows = names.slice(0, 24), left = Math.min(width * 0.4, 14 + 7 * Math.max(...rows.map(r => shortKernel(r.name).length)));
  const cut = name => cutText(shortKernel(name), left - 16, 12);
  const shown = kernels.filter(k => rows.some(r => r.name === k.name)), end = longest();
  const nodes = [];
  if (HAS_CHARTS) nodes.push(element('figure', {class: 'kernels'}, Plot.plot({width, height: 46 + 24 * rows.length, marginLeft: left, marginRight: 24, marginTop: 4, marginBottom: 36, style: chartStyle,
    x: {domain: [0, end], label: 'core cycles \u2192', labelAnchor: 'center', labelOffset: 32, grid: true, ticks: Math.max(2, Math.round(width / 130)), tickFormat: grouped}, y: {domain: rows.map(r => r.name), label: null, tickSize: 0, tickFormat: cut, padding: 0.2},
    marks: [Plot.barX(shown, {x1: 'began', x2: 'ended', y: 'name', fill: k => colours.get(k.name), stroke: 'var(--paper)', strokeWidth: 0.5, fillOpacity: k => k.complete ? 1 : 0.45}),
      Plot.tip(shown, Plot.pointer({x: k => (k.began + k.ended) / 2, y: 'name', fill: 'var(--paper)', stroke: 'var(--line)', title: k => `${shortKernel(k.name)}, launch ${k.number}\n${figure(k.ctas)} CTAs, ${figure(k.ended - k.began)} cycles\nfrom ${figure(k.began)} to ${figure(k.ended)}${k.complete ? '' : '\ncut off: not complete'}`}))]})));
  else nodes.push(noCharts());
  if (names.length > rows.length) nodes.push(element('p', {class: 'soft'}, `The ${rows.length} kernels with the most cycles of ${names.length}; the table has all.`));
  const parts = run.kernel_parts;
  nodes.push(table(['kernel', 'launches', 'CTAs', 'cycles', 'share of cycles', 'shortest', 'longest', ...partHeads(parts)], names.map(entry => {
    const lengths = entry.list.map(k => k.ended - k.began), part = parts && parts.names.find(p => p.name === entry.name && (p.application === undefined || String(p.application) === String(entry.list[0].application)));
    return [nameCell(entry.name, entry.list.every(k => k.complete)), figure(entry.list.length), figure(sum(entry.list.map(k => k.ctas))), figure(entry.cycles), percent(total ? entry.cycles / total : null), figure(Math.min(...lengths)), figure(Math.max(...lengths)), ...partCells(parts, part)];
  }), {sort: true, class: 'by-name'}));
  if (kernels.length > names.length) nodes.push(launchTable(kernels, parts));
  return nodes;
}
const kernelView = host => panes(host, drawKernels, {absent: 'This run has no kernels.csv.'});
