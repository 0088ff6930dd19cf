// The page: notices, key figures, sections, and reactions to the reader. At most five key figures are shown:
// the first that a run has.
const MOST_TILES = 5;
const TILES = [
  ['cycles', 'Time, core cycles', -1], ['ipc', 'IPC, thread instructions', 1, 'issue'], ['l1_hit_rate', 'L1 hit rate', 0, 'share'], ['llc_hit_rate', 'LLC hit rate', 0, 'share'], ['dram_utilization', 'DRAM bandwidth used', 0, 'share'],
  ['line_access_rate', 'Line accesses per cycle', 1], ['mean_latency', 'Mean latency, core cycles', -1]];

/// The note below the value of run A: its origin, in units.
function tileNote(name, run) {
  const {summary} = run.stats, roofs = run.machine && run.machine.roofs, level = roofs && roofs.levels.find(l => l.name === 'DRAM');
  if (name === 'cycles' && run.energy && run.energy.seconds > 0) return seconds(run.energy.seconds) + ' on the machine';
  if (name === 'ipc' && roofs && roofs.issue) return `of ${figure(roofs.issue)} per cycle at most`;
  if (name === 'l1_hit_rate') return `of ${figure(summary.l1_accesses)} accesses`;
  if (name === 'llc_hit_rate') return `of ${figure(summary.llc_accesses)} requests`;
  if (name === 'dram_utilization' && level && summary.cycles) return `${bytes(level.bytes / summary.cycles)} of ${bytes(level.peak)} per cycle`;
  return null;
}

/// Difference of two shares in percentage points.
const points = v => (v > 0 ? '+' : v < 0 ? '\u2212' : '\u00b1') + Math.abs(100 * v).toFixed(1) + '\u202fpts';

const hasFigure = ([name]) => runNames().some(one => isNumber(one.run.stats.summary[name]));
function tile([name, words, better, kind]) {
  const values = runNames().map(one => one.run.stats.summary[name]);
  const text = v => kind === 'share' ? percent(v) : isNumber(v) && !Number.isInteger(v) ? figure(Number(v.toPrecision(4))) : figure(v);
  const node = element('div', {class: 'tile', 'data-figure': name, title: name}, element('div', {class: 'name'}, words), element('div', {class: 'value'}, text(values[0])));
  if (values.length > 1) {
    const change = values[0] ? values[1] / values[0] - 1 : null;
    const cls = !better || !isNumber(change) || Math.abs(change) < 5e-4 ? 'soft' : change * better > 0 ? 'better' : 'worse';
    node.append(element('div', {class: 'other'}, 'B ', text(values[1]), ' ', isNumber(values[1]) && isNumber(change) ? element('span', {class: cls}, kind === 'share' ? points(values[1] - values[0]) : signed(change)) : null));
  }
  else if (tileNote(name, RUNS[state.a])) node.append(element('div', {class: 'other soft'}, tileNote(name, RUNS[state.a])));
  runNames().forEach(({run, tag}, i) => {
    const issue = run.machine && run.machine.roofs.issue, share = kind === 'share' ? values[i] : kind === 'issue' && issue ? values[i] / issue : null;
    if (isNumber(share)) node.append(element('div', {class: 'meter ' + tag.toLowerCase(), title: kind === 'issue' ? `${percent(share)} of the issue peak` : null}, element('i', {style: `width:${Math.min(100, 100 * share)}%`})));
  });
  return node;
}

function notices(run, tag) {
  const said = [], add = (strong, words, bad) => said.push(element('div', {class: 'notice' + (bad ? ' bad' : ''), role: 'note'}, element('strong', {}, (state.b === null ? '' : tag + ': ') + strong + ' '), words));
  if (run.stats.partial) add('Partial:', `this run was cut short (${run.stats.reason || 'no reason given'}). Its figures cover the simulation until then.`, true);
  if (run.stats.run.exit_code !== 0) add(`Exit code ${run.stats.run.exit_code}:`, (run.stats.run.messages || []).join('; ') || 'the run did not end well.', true);
  if (run.changed.length) add('Changed since the run:', run.changed.join(', ') + '. The page shows the files as they are now.', true);
  for (const gone of run.left_out) add(`Left out: ${gone.part}.`, gone.why);
  for (const gap of run.stats.summary_gaps || []) add('Not in these figures:', gap);
  return said;
}

function facts(run) {
  const r = run.stats.run;
  return element('dl', {class: 'facts'}, [['platform', r.platform + (r.with && r.with.length ? ' with ' + r.with.join(', ') : '')], ['set', (r.sets || []).join(', ')], ['work', r.trace], ['seed', r.seed === undefined ? '' : String(r.seed)], ['results', run.directory], ['digest', run.stats.digest], ['Strata', r.strata_version + (r.started ? ', ' + r.started.replace('T', ' ').replace('Z', ' UTC') : '')]]
    .filter(([, v]) => v).flatMap(([k, v]) => [element('dt', {}, k), element('dd', {}, v)]));
}

/// With its interval, if each machine ran several times.
function gainOf(relief) {
  if (!isNumber(relief.interval_half)) return percent(relief.faster);
  const chance = relief.within_noise ? ', within noise' : relief.within_noise_of_best ? ', as the first within noise' : '';
  return `${percent(relief.faster)} \u00b1 ${Number((100 * relief.interval_half).toPrecision(2))}\u202f%${chance}`;
}

/// The verdict of a run, if it has one: its text, a keyword and its text on each line, and how much of each
/// resource was used.
function verdictOf(run) {
  const verdict = run.stats.verdict;
  const lines = verdictLines(run);
  if (!lines.length) return null;
  const box = element('div', {class: 'verdict'}, lines.map(([word, words], i) => element('p', {}, element('span', {class: 'word'}, word), element(i === 0 ? 'b' : 'span', {}, words))));
  const used = (verdict.ranking || []).filter(one => isNumber(one.busy) && one.busy >= 0.005);
  if (used.length) box.append(details(`How much of each resource was used (${used.length})`, table(['resource', 'busy', 'used', 'mean', 'most', 'busiest', ''], used.map(one => [one.resource, percent(one.busy), percent(one.share), percent(one.mean), percent(one.most), one.busiest || '', element('td', {class: 'words'}, one.sentence || '')]), {sort: true})));
  const whatIf = run.what_if || {};
  const reliefs = Array.isArray(whatIf.reliefs) ? [...whatIf.reliefs].sort((x, y) => (y.faster || 0) - (x.faster || 0)) : [];
  if (reliefs.length) box.append(details('Gain from about twice as much of each' + (whatIf.measured ? `, measured on ${whatIf.measured}` : ''), table(['relief', 'faster by', 'settings'], reliefs.map(one => [[].concat(one.resources).join(', '), gainOf(one), element('td', {class: 'words'}, [].concat(one.sets).join(' '))]), {sort: true})));
  return box;
}

/// Shares of the warp schedulers' cycles in one bar.
const STATE_COLOURS = {issue: 'var(--p-llc)', memory: 'var(--p-memory)', lsu_full: 'var(--p-l1)', instruction_latency: 'var(--p-noc)', no_warp: 'var(--p-other)', barrier: 'var(--p-sm)', stalled: 'var(--p-other2)'};
function schedulersOf(run, width) {
  const states = Object.entries((run.stats.verdict || {}).schedulers || {}).filter(([, share]) => share > 0);
  if (!states.length) return [];
  const words = name => DATA.states[name] || name, colour = name => STATE_COLOURS[name] || 'var(--p-other3)';
  return [element('h3', {}, 'Warp schedulers, share of their cycles'),
    element('figure', {class: 'schedulers'}, strip(width, states.map(([name, share]) => ({name: words(name), share, colour: colour(name), rows: [['share of scheduler cycles', percent(share)]]})))),
    swatches(states.map(([name, share]) => [`${words(name)} ${percent(share)}`, colour(name)]))];
}

function applicationsOf(run) {
  const all = run.stats.applications;
  if (!all) return null;
  const names = ['thread_instructions', 'ipc', 'l1_hit_rate', 'llc_hit_rate', 'mean_load_latency'];
  return table(['application', ...names], all.map(one => [one.trace, ...names.map(n => figure(one.summary[n]))]));
}

function summaryView(host) {
  for (const {run, tag} of runNames()) host.append(...notices(run, tag));
  host.append(element('div', {class: 'tiles'}, TILES.filter(hasFigure).slice(0, MOST_TILES).map(tile)));
  panes(host, (run, width) => [verdictOf(run), ...schedulersOf(run, width), facts(run), applicationsOf(run)]);
  const shown = runNames(), names = [...new Set(shown.flatMap(one => Object.keys(one.run.stats.summary)))];
  host.append(details('All figures', table(['figure', ...shown.map(one => shown.length > 1 ? one.tag : 'value'), ...(shown.length > 1 ? ['B against A'] : []), 'unit'], names.map(name => {
    const values = shown.map(one => one.run.stats.summary[name]), unit = (shown[0].run.stats.summary_units || {})[name] || '';
    return [name, ...values.map(v => element('td', {'data-summary': name}, figure(v, 7))), ...(shown.length > 1 ? [isNumber(values[0]) && isNumber(values[1]) && values[0] !== 0 ? signed(values[1] / values[0] - 1) : '\u2013'] : []), unit];
  }))));
}

/// Every counter of every module: sums, and how far the busiest instance is from the mean.
function countersView(host) {
  panes(host, run => Object.entries(run.counters).map(([group, block]) => notOnPaper(details(`${group}: ${block.names.length} of ${block.module}`, table(['counter', 'sum', 'mean', 'most', 'Gini', ''],
    Object.entries(block.counters).map(([name, values]) => {
      const even = balance(values), said = (((DATA.definitions[block.module] || {}).statistics || {})[name] || {});
      return [name, figure(sum(values)), figure(Number((sum(values) / values.length).toPrecision(4))), figure(Math.max(...values.filter(isNumber))), even ? even.gini.toFixed(3) : '\u2013', element('td', {class: 'words'}, [said.sentence, said.unit ? `[${said.unit}]` : ''].filter(Boolean).join(' '))];
    }), {sort: true})))), {});
}

const RUN_SECTIONS = [
  ['summary', 'Summary', summaryView, ''],
  ['machine', 'Machine', machineView, 'The netlist from the requesters to memory, coloured by load.'],
  ['ledger', 'Latency', ledgerView, 'Every cycle of an access is charged to one cause at one place; in the order of its path, request and reply.'],
  ['roofline', 'Roofline', rooflineView, 'The limits by issue slots and by the bandwidth of each level, and the work below them. Dotted: the distance to the roof.'],
  ['time', 'Over time', timeView, 'Events of each epoch.'],
  ['heat', 'Heat maps', heatView, 'Load over time: one line per instance.'],
  ['kernels', 'Kernels', kernelView, 'When each kernel ran, and the cycles of all its launches.'],
  ...(RUNS.some(run => run.by_source) ? [['source', 'By source', sourceView, 'For which loads warps wait. Stalls: of all cycles in which warps wait for loads, the share that waits for the result of this one. Load cycles: its share of the cycles in which loads and atomics are in flight. No warp waits for a store.']] : []),
  ['energy', 'Energy', energyView, 'Worked out from the counters by the model of strata energy; bars with the interval of the model.'],
  ['counters', 'Counters', countersView, 'Everything that was counted, by group of instances.']];

/// The sections of the page: one for each sweep, then those of runs.
const SECTIONS = [
  ...DATA.sweeps.map((sweep, i) => { const id = 'sweep' + (i ? i + 1 : ''); return [id, 'Sweep ' + sweep.name, host => sweepView(sweep, host, () => renderOne(id)), 'Every point of the sweep. Points that differ only in their seed are merged, with the 95\u202f% interval of their mean.']; }),
  ...DATA.papers.map((paper, i) => { const id = 'claims' + (i ? i + 1 : ''); return [id, paper.title, host => claimsView(paper, host, () => renderOne(id)), 'The figures of the paper beside the measured ones; the thin line is the range over the seeds, the shaded band what counts as within tolerance.']; }),
  ...(RUNS.length ? RUN_SECTIONS : [])];

function renderOne(name) {
  const [id, title, draw, about] = SECTIONS.find(section => section[0] === name);
  const host = document.getElementById(id), open = [...host.querySelectorAll('details')].map(d => d.open);
  const focus = document.activeElement && host.contains(document.activeElement) && ['data-pick', 'data-filter', 'aria-label'].map(key => [key, document.activeElement.getAttribute(key)]).find(([, value]) => value);
  host.replaceChildren(element('h2', {}, title), ...(about ? [element('p', {class: 'about'}, about)] : []));
  if (id === 'summary') {
    const {words, detail} = headline();
    host.firstChild.replaceWith(element('p', {class: 'soft runs'}, runNames().map(one => one.run.name).join(' against ')), element('h1', {}, words), ...(detail ? [element('p', {class: 'about'}, detail)] : []));
  }
  else if (id === SECTIONS[0][0]) host.firstChild.replaceWith(element('h1', {}, title));
  try {
    draw(host);
  } catch (error) {  // results damaged in an unforeseen way
    host.append(element('p', {class: 'notice bad', role: 'alert'}, element('strong', {}, 'This view cannot be drawn: '), String(error)));
    console.error(error);
  }
  host.querySelectorAll('details').forEach((d, i) => { d.open = open[i] || false; });
  if (focus) { const again = host.querySelector(`[${focus[0]}="${CSS.escape(focus[1])}"]`); if (again) again.focus(); }  // restore the focus of the reader
}
function render() {
  hideTip();
  document.documentElement.classList.toggle('comparing', state.b !== null);
  for (const [id] of SECTIONS) renderOne(id);
}

function themeNow() {
  const dark = state.theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : state.theme === 'dark';
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  document.documentElement.style.colorScheme = dark ? 'dark' : 'light';
  document.getElementById('theme').textContent = 'Theme: ' + state.theme;
}

function begin() {
  const pickA = document.getElementById('pick-a'), pickB = document.getElementById('pick-b'), swap = document.getElementById('swap');
  const options = () => RUNS.map((run, i) => element('option', {value: i}, run.name + (run.stats.partial ? ' (partial)' : '')));
  pickA.append(...options());
  pickB.append(element('option', {value: ''}, 'nothing to compare with'), ...options());
  const set = () => { pickA.value = state.a; pickB.value = state.b === null ? '' : state.b; swap.disabled = state.b === null; };
  pickA.addEventListener('change', () => { state.a = Number(pickA.value); render(); });
  pickB.addEventListener('change', () => { state.b = pickB.value === '' ? null : Number(pickB.value); set(); render(); });
  swap.addEventListener('click', () => { [state.a, state.b] = [state.b, state.a]; set(); render(); });
  if (RUNS.length < 2) for (const id of ['pick-a-label', 'pick-b-label', 'swap']) document.getElementById(id).remove(); else set();
  document.getElementById('theme').addEventListener('click', () => { state.theme = {system: 'dark', dark: 'light', light: 'system'}[state.theme]; themeNow(); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', themeNow);
  // Print on light paper, as wide as .printing says.
  // Tables that are folded are open on paper.
  let folds = null;
  const eachFold = act => { for (const [id] of SECTIONS) document.getElementById(id).querySelectorAll('details').forEach((node, i) => act(node, id + ' ' + i)); };
  addEventListener('beforeprint', () => {
    if (folds) return;
    folds = new Map();
    document.documentElement.classList.add('printing'); document.documentElement.dataset.theme = 'light'; render();
    eachFold((node, key) => { folds.set(key, node.open); node.open = node.open || !node.classList.contains('screen'); });
  });
  addEventListener('afterprint', () => {
    if (!folds) return;
    eachFold((node, key) => { node.open = folds.get(key) || false; });
    folds = null;
    document.documentElement.classList.remove('printing'); themeNow(); render();
  });
  themeNow();
  document.querySelector('.skip').href = '#' + SECTIONS[0][0];
  document.getElementById('sections').append(...SECTIONS.map(([id, title]) => element('a', {href: '#' + id}, title)));
  document.getElementById('page').append(...SECTIONS.map(([id]) => element('section', {id})));
  document.getElementById('foot').append(DATA.made);
  render();
  let width = innerWidth, waiting = 0;
  addEventListener('resize', () => { if (innerWidth === width) return; width = innerWidth; clearTimeout(waiting); waiting = setTimeout(render, 120); });
  document.documentElement.dataset.ready = 'yes';
}
begin();
