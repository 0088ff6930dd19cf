// Sweeps: speed-ups over a baseline, or any figure, over any dimension, others as colours and as panels, intervals over seeds.
const SWEEP_COLOURS = ['var(--p-noc)', 'var(--b)', 'var(--p-llc)', 'var(--p-sm)', 'var(--p-memory)', 'var(--p-l1)', 'var(--p-other)', 'var(--p-other2)', 'var(--p-other3)'];
const UNIT_SIZES = {'': 1, B: 1, KiB: 1024, MiB: 1048576, GiB: 1073741824, kHz: 1e3, MHz: 1e6, GHz: 1e9, Hz: 1};
function sizeOf(text) {
  const parts = /^(-?[\d.]+)\s*([A-Za-z]*)$/.exec(text);
  return parts && UNIT_SIZES[parts[2]] !== undefined ? Number(parts[1]) * UNIT_SIZES[parts[2]] : NaN;
}
/// Indices of the values of a dimension in a natural order: sizes by size, texts as they came.
function valueOrder(dimension) {
  const numbers = dimension.values.map((_, i) => i), sizes = dimension.values.map(sizeOf);
  return sizes.some(isNaN) ? numbers : numbers.sort((x, y) => sizes[x] - sizes[y]);
}
const dimensionOf = (sweep, key) => sweep.dimensions.find(d => d.key === key);
const SPEED_UP = 'speed-up';
const figureOf = (sweep, name) => name === SPEED_UP ? speedUps(sweep) : sweep.figures.find(f => f.name === name);
const varying = sweep => sweep.dimensions.filter(d => d.key !== 'seed' && d.values.length > 1);

/// Speed-up of each point over the point with the baseline's value, all else the same except settings that go
/// with its key. Points of another workload or seed are never its partner.
function speedUps(sweep) {
  const [key, ...value] = sweep.choice.base.split('='), base = dimensionOf(sweep, key), number = base.values.indexOf(value.join('='));
  const along = d => base.values.every((_, v) => new Set(d.of.filter((__, i) => base.of[i] === v && sweep.states[i] === 'done')).size <= 1);
  const rest = sweep.dimensions.filter(d => d !== base && (d.key === 'workload' || d.key === 'seed' || !along(d)));
  const place = i => rest.map(d => d.of[i]).join(), partner = new Map();
  sweep.log_times.forEach((time, i) => { if (base.of[i] === number && isNumber(time)) partner.set(place(i), time); });
  return {name: SPEED_UP, unit: `over ${key} ${value.join('=')}`, ratio: true,
    of: sweep.log_times.map((time, i) => isNumber(time) && partner.has(place(i)) ? Math.exp(partner.get(place(i)) - time) : null)};
}

/// The first view: speed-ups over the baseline along its key, otherwise the file's first figure; settings
/// with sizes along the axis.
function firstChoice(sweep) {
  const free = varying(sweep), sized = free.filter(d => !d.values.map(sizeOf).some(isNaN));
  const x = (sweep.baseline && dimensionOf(sweep, sweep.baseline.key)) || sized[0] || free[0] || dimensionOf(sweep, 'workload'), others = free.filter(d => d !== x);
  // A third dimension becomes panels: workloads, otherwise the one with the fewest values.
  const facet = others.length > 1 ? others.find(d => d.key === 'workload') || [...others].sort((p, q) => p.values.length - q.values.length)[0] : undefined, colour = others.find(d => d !== facet);
  return {y: sweep.baseline ? SPEED_UP : sweep.figures.length ? sweep.figures[0].name : '', base: sweep.baseline ? `${sweep.baseline.key}=${sweep.baseline.value}` : '', x: x.key, colour: colour ? colour.key : '', facet: facet ? facet.key : '', hidden: {}, sort: null, down: false};
}
for (const sweep of DATA.sweeps) sweep.choice = firstChoice(sweep);

/// Mean and 95 % interval (Student) of points that differ only in their seed; no interval for a single point.
function sampleOf(sweep, values, ratio) {
  if (ratio) {  // mean and interval of logarithms
    const {n, mean, half, low, high} = sampleOf(sweep, values.map(Math.log));
    return {n, mean: Math.exp(mean), half: half === null ? null : (Math.exp(high) - Math.exp(low)) / 2, low: Math.exp(low), high: Math.exp(high)};
  }
  const n = values.length, mean = sum(values) / n;
  if (n < 2) return {n, mean, half: null, low: mean, high: mean};
  const deviation = Math.sqrt(sum(values.map(v => (v - mean) ** 2)) / (n - 1)), half = sweep.student[n - 2] * deviation / Math.sqrt(n);
  return {n, mean, half, low: mean - half, high: mean + half};
}

/// Finished points that pass the filters; points that differ only in their seed form a group. `at`: one index
/// per dimension.
function groupsOf(sweep) {
  const {y, x, hidden} = sweep.choice, of = figureOf(sweep, y), other = figureOf(sweep, x), groups = new Map();
  if (!of) return [];
  sweep.points.forEach((name, i) => {
    if (sweep.states[i] !== 'done' || !isNumber(of.of[i]) || (other && !isNumber(other.of[i]))) return;
    if (sweep.dimensions.some(d => (hidden[d.key] || []).includes(d.of[i]))) return;
    const at = Object.fromEntries(sweep.dimensions.map(d => [d.key, d.of[i]]));
    const key = varying(sweep).map(d => d.of[i]).join();
    if (!groups.has(key)) groups.set(key, {key, at, points: [], values: [], others: []});
    const group = groups.get(key);
    group.points.push(name);
    group.values.push(of.of[i]);
    if (other) group.others.push(other.of[i]);
  });
  return [...groups.values()].map(g => ({...g, ...sampleOf(sweep, g.values, of.ratio), across: other ? sampleOf(sweep, g.others) : null}));
}
const valueText = (sweep, key, group) => { const d = dimensionOf(sweep, key); return group.at[key] < 0 ? '\u2013' : d.values[group.at[key]]; };
const half = sample => !sample.half ? '' : ` \u00b1 ${figure(Number(sample.half.toPrecision(3)))}`;
function groupTip(sweep, group) {
  const rows = varying(sweep).map(d => [d.key, valueText(sweep, d.key, group)]);
  for (const [name, sample] of [[sweep.choice.y, group], [sweep.choice.x, group.across]]) if (sample) rows.push([name, figure(sample.mean) + half(sample)]);
  rows.push(['seeds', figure(group.n)]);
  return rows;
}

/// Values without sizes are categories: drawn as bars, if there is at most one of a colour at a place.
function asBars(sweep) {
  const {x, colour, facet} = sweep.choice, d = dimensionOf(sweep, x);
  const groups = groupsOf(sweep);
  return Boolean(d) && d.values.some(value => isNaN(sizeOf(value))) && new Set(groups.map(g => [x, colour, facet].map(key => g.at[key]).join())).size === groups.length;
}

function facetChart(sweep, groups, width, scales) {
  const {x, colour} = sweep.choice, d = dimensionOf(sweep, x), unit = name => { const of = figureOf(sweep, name); return name + (of && of.unit ? (of.ratio ? ' ' : ', ') + of.unit : ''); };
  const atX = d ? g => valueText(sweep, x, g) : g => g.across.mean;
  // One line per colour, unless a colour has several points at a place: then one line for each value of the
  // undrawn dimensions too.
  const hue = g => colour ? g.at[colour] : 0, several_at = new Set(groups.filter(g => groups.some(o => o !== g && hue(o) === hue(g) && o.at[x] === g.at[x])).map(hue));
  const line = g => several_at.has(hue(g)) ? varying(sweep).filter(v => v.key !== x).map(v => g.at[v.key]).join() : 'of ' + hue(g);
  const order = d ? valueOrder(d).map(i => d.values[i]) : [], sorted = [...groups].sort((p, q) => d ? order.indexOf(atX(p)) - order.indexOf(atX(q)) : atX(p) - atX(q));
  const bars = asBars(sweep), base = bars ? scales.base : null;
  const stroke = colour ? g => valueText(sweep, colour, g) : () => SWEEP_COLOURS[0], several = groups.filter(g => g.half !== null);
  // Bars of several colours stand side by side at the place of their value.
  const kinds = colour ? scales.colours : [''], room = (width - 74) / (scales.x.length + 0.24) * 0.76 / kinds.length, kind = g => Math.max(0, kinds.indexOf(colour ? valueText(sweep, colour, g) : ''));
  const turned = d && 7 * Math.max(...scales.x.map(text => text.length)) > (width - 74) / scales.x.length, below = turned ? Math.min(130, 30 + 4.2 * Math.max(...scales.x.map(text => text.length))) : 44;
  const aside = i => (i - (kinds.length - 1) / 2) * room, groupsOfKind = kinds.map((_, i) => sorted.filter(g => kind(g) === i));
  const chart = Plot.plot({width, height: 256 + below, marginLeft: turned ? 74 : 58, marginRight: 16, marginTop: 24, marginBottom: below, style: chartStyle,
    x: d ? {type: bars ? 'band' : 'point', domain: scales.x, label: x + ' \u2192', labelAnchor: 'center', labelOffset: below - 6, padding: bars ? 0.24 : 0.4, tickRotate: turned ? -35 : 0} : {domain: scales.x, label: unit(x) + ' \u2192', labelAnchor: 'center', labelOffset: 38, grid: true, nice: true, ticks: Math.max(2, Math.round(width / 110)), tickFormat: v => figure(v)},
    y: {domain: scales.y, label: '\u2191 ' + unit(sweep.choice.y), grid: true, nice: true, ticks: 5, tickFormat: v => figure(v)},
    color: colour ? {domain: scales.colours, range: scales.colours.map((_, i) => SWEEP_COLOURS[i % SWEEP_COLOURS.length])} : undefined,
    marks: [
      sweep.choice.y === SPEED_UP ? Plot.ruleY([1], {stroke: 'var(--soft)', strokeDasharray: '3 3'}) : null,
      ...(bars ? groupsOfKind.flatMap((own, i) => [
        Plot.barY(own, {x: atX, y1: base, y2: 'mean', fill: stroke, fillOpacity: 0.85, insetLeft: i * room + 0.5, insetRight: (kinds.length - 1 - i) * room + 0.5}),
        Plot.ruleX(own.filter(g => g.half !== null), {x: atX, y1: 'low', y2: 'high', dx: aside(i), stroke: 'var(--ink)', strokeWidth: 1.6})]) : [
        d ? Plot.line(sorted, {x: atX, y: 'mean', z: line, stroke, strokeWidth: 1.8}) : null,
        Plot.ruleX(several, {x: atX, y1: 'low', y2: 'high', stroke, strokeWidth: 1.6, strokeOpacity: 0.75})]),
      d ? null : Plot.ruleY(several, {y: 'mean', x1: g => g.across.low, x2: g => g.across.high, stroke, strokeWidth: 1.6, strokeOpacity: 0.75}),
      bars ? null : Plot.dot(sorted, {x: atX, y: 'mean', r: 4.5, fill: stroke, stroke: 'var(--paper)'}),
      Plot.tip(sorted, Plot.pointer({x: atX, y: 'mean', fill: 'var(--paper)', stroke: 'var(--line)', title: g => groupTip(sweep, g).map(([k, v]) => `${k}: ${v}`).join('\n')})),
    ]});
  chart.setAttribute('role', 'img');
  chart.setAttribute('aria-label', `${sweep.choice.y} over ${x}: ${groups.length} points`);
  // Arrow keys move over the points.
  let at = -1;
  const node = element('figure', {class: 'sweep-chart', tabindex: 0}, chart), scale = chart.scale('x'), middle = scale.bandwidth ? scale.bandwidth / 2 : 0;
  node.addEventListener('keydown', event => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step || !sorted.length) return;
    event.preventDefault();
    at = Math.max(0, Math.min(sorted.length - 1, at + step));
    const place = chart.getBoundingClientRect(), grow = place.width / width;
    showTip(place.left + grow * (scale.apply(atX(sorted[at])) + middle), place.top + grow * chart.scale('y').apply(sorted[at].mean), tipLines(sweep.choice.y, groupTip(sweep, sorted[at])), true);
  });
  node.addEventListener('blur', () => { at = -1; hideTip(); });
  return node;
}

function sweepCharts(sweep, host, groups) {
  const {x, facet, colour} = sweep.choice, d = dimensionOf(sweep, x), f = facet && dimensionOf(sweep, facet), c = colour && dimensionOf(sweep, colour);
  const there = (key, dimension) => valueOrder(dimension).filter(i => groups.some(g => g.at[key] === i)).map(i => dimension.values[i]);
  const span = (lows, highs) => { const low = Math.min(...lows), high = Math.max(...highs), room = (high - low) * 0.04 || Math.abs(high) * 0.05 || 1; return [low >= 0 && low < 0.4 * high ? 0 : low - room, high + room]; };
  const scales = {x: d ? there(x, d) : span(groups.map(g => g.across.low), groups.map(g => g.across.high)), y: span(groups.map(g => g.low), groups.map(g => g.high)), base: sweep.choice.y === SPEED_UP ? 1 : 0, colours: c ? there(colour, c) : []};
  if (asBars(sweep)) scales.y = span([scales.base, ...groups.map(g => g.low)], [scales.base, ...groups.map(g => g.high)]);
  if (c) host.append(swatches(scales.colours.map((name, i) => [`${colour} ${name}`, SWEEP_COLOURS[i % SWEEP_COLOURS.length]])));
  const grid = element('div', {class: 'facets'});
  host.append(grid);
  const panels = f ? there(facet, f).map(name => [`${facet} ${name}`, groups.filter(g => valueText(sweep, facet, g) === name)]) : [[null, groups]];
  grid.classList.toggle('one', panels.length === 1);
  const cells = panels.map(([title]) => { const cell = element('div', {class: 'facet', 'data-facet': title || ''}, title ? element('h3', {}, title) : null); grid.append(cell); return cell; });
  panels.forEach(([, own], i) => cells[i].append(facetChart(sweep, own, cells[i].clientWidth, scales)));
}

function sweepTable(sweep, groups, again) {
  const choice = sweep.choice, keys = varying(sweep).map(d => d.key), across = groups.some(g => g.across);
  const several = groups.some(g => g.n > 1);  // otherwise seeds have no effect to report
  const columns = [...keys, ...(several ? ['seeds'] : []), choice.y, ...(several ? ['\u00b1 95\u202f%', 'least', 'most'] : []), ...(across ? [choice.x] : [])];
  const cells = g => [...keys.map(key => { const d = dimensionOf(sweep, key); return [valueText(sweep, key, g), valueOrder(d).indexOf(g.at[key])]; }), ...(several ? [[figure(g.n), g.n]] : []), [figure(g.mean, 6), g.mean],
    ...(several ? [[g.half === null ? '\u2013' : figure(Number(g.half.toPrecision(4))), g.half], [figure(Math.min(...g.values), 6), Math.min(...g.values)], [figure(Math.max(...g.values), 6), Math.max(...g.values)]] : []), ...(across ? [[figure(g.across.mean, 6), g.across.mean]] : [])];
  const unit = name => { const of = figureOf(sweep, name); return of && of.unit ? (of.ratio ? ' ' : ', ') + of.unit : ''; };
  const rows = groups.map(g => cells(g)), by = columns.indexOf(choice.sort);
  if (by >= 0) rows.sort((p, q) => (choice.down ? -1 : 1) * (p[by][1] - q[by][1]));
  const most = 500, heads = columns.map(name => {
    const button = element('button', {type: 'button', class: 'head', 'aria-label': `Sort by ${name}`}, name + unit(name) + (choice.sort === name ? (choice.down ? ' \u25be' : ' \u25b4') : ''));
    button.addEventListener('click', () => { choice.down = choice.sort === name && !choice.down; choice.sort = name; again(); });
    return button;
  });
  return [table(heads, rows.slice(0, most).map(row => row.map(cell => cell[0]))), rows.length > most ? element('p', {class: 'soft'}, `The first ${most} of ${figure(rows.length)} rows.`) : null];
}

function sweepControls(sweep, again) {
  const choice = sweep.choice, figures = sweep.figures.map(f => f.name), keys = varying(sweep).map(d => d.key);
  const pick = (words, field, groups, none) => {
    const select = element('select', {'data-pick': field, 'aria-label': words}, none ? element('option', {value: ''}, none) : null, groups.map(([label, names]) => element('optgroup', {label}, names.map(name => element('option', {value: name}, name)))));
    select.value = choice[field];
    select.addEventListener('change', () => { choice[field] = select.value; again(); });
    return element('label', {}, words, select);
  };
  const axis = keys.length ? keys : [choice.x];
  const filters = sweep.dimensions.filter(d => d.values.length > 1).map(d => element('div', {class: 'filter', role: 'group', 'aria-label': 'Show ' + d.key}, element('span', {class: 'soft'}, d.key), valueOrder(d).map(i => {
    const hidden = choice.hidden[d.key] || [], button = element('button', {type: 'button', 'aria-pressed': String(!hidden.includes(i)), 'data-filter': `${d.key}=${d.values[i]}`}, d.values[i]);
    button.addEventListener('click', () => { choice.hidden[d.key] = hidden.includes(i) ? hidden.filter(v => v !== i) : [...hidden, i]; again(); });
    return button;
  })));
  return [element('div', {class: 'controls'}, pick('Figure', 'y', [...(sweep.baseline ? [['time', [SPEED_UP]]] : []), ['figures', figures]]), choice.y === SPEED_UP ? pick('over', 'base', varying(sweep).filter(d => d.key !== 'workload').map(d => [d.key, valueOrder(d).map(i => `${d.key}=${d.values[i]}`)])) : null, pick('along', 'x', [['dimensions', axis], ['figures', figures]]), pick('colours', 'colour', [['dimensions', keys]], 'none'), pick('panels', 'facet', [['dimensions', keys]], 'none')),
    filters.length ? notOnPaper(details(`Which points: ${filters.length} filters`, element('div', {class: 'filters'}, filters))) : null];
}

function sweepView(sweep, host, again) {
  const count = state => sweep.states.filter(s => s === state).length;
  host.append(element('p', {class: 'soft'}, `${figure(sweep.points.length)} points of ${sweep.file.split('/').slice(-2).join('/')}: ${figure(count('done'))} done` + (count('failed') ? `, ${figure(count('failed'))} failed` : '') + (count('waiting') ? `, ${figure(count('waiting'))} not simulated yet` : '') + '.'));
  if (count('failed')) host.append(element('div', {class: 'notice bad', role: 'note'}, element('strong', {}, 'Failed: '), sweep.points.flatMap((name, i) => sweep.states[i] === 'failed' ? [`${name}: ${sweep.messages[i]}`] : []).slice(0, 8).join('; ') + '.'));
  if (count('waiting')) host.append(element('div', {class: 'notice', role: 'note'}, element('strong', {}, 'Partial: '), `${figure(count('waiting'))} points have no figures yet.`));
  if (sweep.left_out) host.append(element('div', {class: 'notice', role: 'note'}, element('strong', {}, 'Left out: '), `${figure(sweep.left_out)} figures, because there are many points; the figures that the sweep names are here, all are in its file.`));
  if (!sweep.figures.length) { host.append(element('p', {class: 'soft'}, 'No point has figures yet.')); return; }
  if ((sweep.answers || []).length) host.append(element('ul', {class: 'answers'}, sweep.answers.map(answer => element('li', {}, answer))));
  const groups = groupsOf(sweep);
  host.append(...sweepControls(sweep, again).filter(Boolean));
  if (!groups.length) { host.append(element('p', {class: 'notice', role: 'note'}, 'No finished point is left that has this figure: show more of them.')); return; }
  if (HAS_CHARTS) sweepCharts(sweep, host, groups); else host.append(noCharts());
  host.append(...sweepTable(sweep, groups, again).filter(Boolean));
}
