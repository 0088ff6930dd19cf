// The machine of the netlist: a card per group, a cell per instance, coloured by load. The colour is the load
// of the group's busiest resource, as in the verdict, among those known for each instance.
for (const {machine} of RUNS) for (const group of machine ? machine.groups : []) {
  const known = group.resources.filter(r => r.of.length === group.count);
  group.used = known.reduce((most, r) => most === null || r.busy > most.busy ? r : most, null);
  group.load = group.used ? group.used.of : Array(group.count).fill(null);
}

const CARD = {head: 44, foot: 54, pad: 10};

function cellsOf(count, width, height, most) {
  let best = {size: 1, columns: count};
  for (let columns = 1; columns <= count; ++columns) {
    const size = Math.min(most, width / columns, height / Math.ceil(count / columns));
    if (size > best.size) best = {size, columns};
  }
  return {size: best.size, columns: best.columns, rows: Math.ceil(count / best.columns)};
}

/// Cards in columns from the requesters to memory, or below each other if the page is narrow.
function layoutOf(machine, width) {
  const stages = Math.max(...machine.groups.map(g => g.stage)) + 1;
  const wide = (width - 58 * (stages - 1)) / stages >= 84;
  const columns = Array.from({length: stages}, () => ({cards: [], control: []}));
  machine.groups.forEach((group, i) => columns[group.stage][group.control ? 'control' : 'cards'].push(i));
  const boxes = [];
  if (wide) {
    const gap = 58, cardWidth = Math.min(168, (width - gap * (stages - 1)) / stages), step = (width - 2 - cardWidth) / Math.max(1, stages - 1);
    const cardHeight = CARD.head + 118 + CARD.foot, controls = columns.some(c => c.control.length) ? 62 : 0;
    const tallest = Math.max(...columns.map(c => c.cards.length));
    const height = controls + tallest * (cardHeight + 22);
    columns.forEach((column, s) => {
      const x = 1 + (stages > 1 ? s * step : 0);
      column.cards.forEach((g, i) => { boxes[g] = {x, y: controls + 8 + (i + (tallest - column.cards.length) / 2) * (cardHeight + 22), w: cardWidth, h: cardHeight}; });
      column.control.forEach((g, i) => { boxes[g] = {x: x + i * (cardWidth + 8), y: 2, w: cardWidth, h: 46}; });
    });
    return {wide, boxes, width, height: height + 4};
  }
  let y = 2;
  for (const g of [...columns.flatMap(c => c.control), ...columns.flatMap(c => c.cards)]) {
    const rows = cellsOf(machine.groups[g].load.length, width - 2 * CARD.pad, 92, 20);
    const h = machine.groups[g].control ? 46 : CARD.head + rows.rows * rows.size + CARD.foot;
    boxes[g] = {x: 1, y, w: width - 2, h};
    y += h + (machine.groups[g].control ? 12 : 46);
  }
  return {wide, boxes, width, height: y - 30};
}

const linkLoad = (link, cycles) => {
  if (isNumber(link.busy)) return link.busy;
  if (!isNumber(link.peak) || !isNumber(link.request_bytes) || !isNumber(link.reply_bytes) || !cycles) return null;
  const used = link.shared ? link.request_bytes + link.reply_bytes : Math.max(link.request_bytes, link.reply_bytes);
  return used / cycles / link.peak;
};

function linkTip(run, link, cycles) {
  const groups = run.machine.groups, load = linkLoad(link, cycles), rows = [];
  rows.push(['connections', figure(link.count)]);
  if (isNumber(link.peak)) rows.push([link.shared ? 'peak' : 'peak each way', bytes(link.peak) + ' per cycle']);
  for (const [key, words] of [['requests', 'requests'], ['replies', 'replies']])
    if (isNumber(link[key])) rows.push([words, figure(link[key])]);
  for (const [key, words] of [['request_bytes', link.shared ? 'written' : 'request bytes'], ['reply_bytes', link.shared ? 'read' : 'reply bytes']])
    if (isNumber(link[key])) rows.push([words, `${bytes(link[key])}, ${bytes(link[key] / cycles)} per cycle`]);
  if (load !== null) rows.push([isNumber(link.busy) ? 'busy, busier direction' : link.shared ? 'used' : 'used, busier direction', percent(load)]);
  else if (link.tlm) rows.push(['use', 'not known: no width, or its sockets feed several links']);
  return tipLines(`${groups[link.from].name}.${link.out} \u2192 ${groups[link.to].name}.${link.in}`, rows);
}

function drawLinks(svg, run, layout, cycles) {
  for (const [number, link] of run.machine.links.entries()) {
    const from = layout.boxes[link.from], to = layout.boxes[link.to];
    const control = !link.tlm;
    const load = linkLoad(link, cycles);
    let path, at;
    if (control) {
      const x1 = from.x + from.w / 2, x2 = to.x + to.w / 2, above = from.y < to.y;
      const y1 = above ? from.y + from.h : from.y, y2 = above ? to.y : to.y + to.h;
      if (!layout.wide) continue;
      path = from.y === to.y ? `M${from.x + from.w},${from.y + 20} L${to.x},${to.y + 20}` : `M${x1},${y1} C${x1},${(y1 + y2) / 2} ${x2},${(y1 + y2) / 2} ${x2},${y2}`;
      at = [(x1 + x2) / 2, (y1 + y2) / 2];
    } else if (layout.wide) {
      const x1 = from.x + from.w, y1 = from.y + from.h / 2, x2 = to.x, y2 = to.y + to.h / 2;
      if (x2 > x1) {
        const far = x2 - x1 > 120 && Math.abs(y1 - y2) < 4, dip = far ? from.h / 2 + 16 : 0;
        path = `M${x1},${y1} C${x1 + (x2 - x1) / 2},${y1 + dip * 1.6} ${x2 - (x2 - x1) / 2},${y2 + dip * 1.6} ${x2},${y2}`;
        at = [(x1 + x2) / 2, (y1 + y2) / 2 + dip * 1.2];
      } else {
        const y = Math.max(from.y + from.h, to.y + to.h) + 14;
        path = `M${from.x + from.w / 2},${from.y + from.h} C${from.x + from.w / 2},${y + 8} ${to.x + to.w / 2},${y + 8} ${to.x + to.w / 2},${to.y + to.h}`;
        at = [(from.x + to.x + to.w) / 2, y];
      }
    } else {
      const x = from.x + 46, y1 = from.y + from.h, y2 = to.y;
      const beside = layout.boxes.some((box, i) => i !== link.from && i !== link.to && box.y > y1 && box.y < y2);
      path = beside ? `M${x + 8 + 8 * number},${y1} L${x + 8 + 8 * number},${y2}` : `M${x},${y1} L${x},${y2}`;
      at = [x, (y1 + y2) / 2];
      if (beside) continue;
    }
    const line = drawn('path', {d: path, class: 'link' + (control ? ' dashed' : load === null ? ' unknown' : ''), 'stroke-width': control ? 1.5 : load === null ? 4 : 5 + 7 * Math.min(1, load), style: load === null ? null : loadStyle(Math.min(1, load)), 'data-link': number});
    const hit = drawn('path', {d: path, class: 'hit', 'data-link-hit': number});
    answers(hit, () => linkTip(run, link, cycles));
    svg.append(line, hit);
    if (control) continue;
    const words = [];
    if (load !== null) words.push(percent(load, load < 0.0995 ? 1 : 0));
    if (isNumber(link.peak)) words.push(bytes(Number(link.peak.toPrecision(3))), 'per cycle');
    else if (isNumber(link.requests) && cycles) words.push(figure(Number((link.requests / cycles).toPrecision(3))), 'requests', 'per cycle');
    if (layout.wide) words.forEach((word, i) => svg.append(drawn('text', {x: at[0], y: at[1] - 12 + (i ? 24 + 12 * i : 0), 'text-anchor': 'middle', class: i ? 'small' : null}, word)));
    else svg.append(drawn('text', {x: at[0] + 16, y: at[1] + 4, class: 'small'}, (isNumber(link.peak) && load !== null ? [words[0] + ' of', ...words.slice(1)] : words).join(' ')));
  }
}

function cellTip(run, group, index) {
  const block = run.counters[group.name], name = block ? block.names[index] || `${group.name}[${index}]` : `${group.name}[${index}]`;
  const rows = [];
  for (const resource of group.resources) if (isNumber(resource.of[index])) rows.push([resource.name + ' busy', percent(resource.of[index])]);
  if (block) for (const [counter, values] of Object.entries(block.counters)) if (values[index] && rows.length < 17) rows.push([counter, figure(values[index])]);
  return tipLines(name, rows);
}

const wanted = ['size', 'ways', 'sms', 'warps', 'inputs', 'outputs', 'channel_bytes', 'mshrs', 'timing_set', 'read_queue', 'organization', 'scheduler'];
function footOf(group) {
  const params = Object.fromEntries(group.params), texts = [];
  if (params.size) texts.push(params.size + (params.ways ? `, ${params.ways} ways` : ''));
  if (params.sms) texts.push(`${params.sms} SM${params.sms === '1' ? '' : 's'}, ${params.warps} warps`);
  if (params.inputs && params.outputs) texts.push(`${params.inputs} \u00d7 ${params.outputs}, ${params.channel_bytes} B`);
  if (params.read_queue) texts.push(`queues ${params.read_queue} + ${params.write_queue}`);
  else if (params.timing_set) texts.push(params.timing_set);
  if (!texts.length && params.organization) texts.push(params.organization);
  texts.push(group.frequency || group.clock);
  return texts;
}

function drawGroup(svg, run, layout, number) {
  const group = run.machine.groups[number], box = layout.boxes[number], count = group.load.length;
  const loads = group.load.filter(isNumber), mean = loads.length ? sum(loads) / loads.length : null, most = loads.length ? Math.max(...loads) : null;
  const verdict = run.stats.verdict, limits = verdict && String(verdict.limit).split('.')[0] === group.name && String(verdict.limit).includes('.');
  const words = `${group.name}, ${count} of ${group.module}` + (mean === null ? '' : `, ${group.used.name}: busy ${percent(group.used.busy)}, mean of instances ${percent(mean)}`) + (limits ? ', the limit of the run' : '');
  const node = drawn('g', {class: 'group' + (group.control ? ' control' : ''), tabindex: 0, role: 'img', 'aria-label': words, 'data-group': group.name});
  node.append(drawn('rect', {class: 'card' + (limits ? ' limits' : ''), x: box.x, y: box.y, width: box.w, height: box.h, rx: 8}));
  const put = (x, y, text, cls) => node.append(drawn('text', {x: box.x + x, y: box.y + y, class: cls}, text));
  const room = box.w - 2 * CARD.pad, cut = text => cutText(text, room, 11);
  put(CARD.pad, 19, group.name + (count > 1 ? ` \u00d7 ${count}` : ''), 'strong');
  put(CARD.pad, 35, cut(group.module), 'small');
  if (!group.control) {
    const height = box.h - CARD.head - CARD.foot, shape = cellsOf(count, room, height, 34);
    const left = box.x + (layout.wide ? (box.w - shape.columns * shape.size) / 2 : CARD.pad), top = box.y + CARD.head + (layout.wide ? (height - shape.rows * shape.size) / 2 : 0);
    group.load.forEach((load, i) => {
      const cell = drawn('rect', {class: 'cell' + (isNumber(load) ? '' : ' none'), x: left + i % shape.columns * shape.size, y: top + Math.floor(i / shape.columns) * shape.size, width: shape.size, height: shape.size, rx: Math.min(4, shape.size / 6), style: isNumber(load) ? loadStyle(Math.min(1, load)) : null, 'data-cell': `${group.name}[${i}]`});
      answers(cell, () => cellTip(run, group, i));
      node.append(cell);
    });
    const foot = footOf(group);
    if (mean !== null) {
      const share = ' ' + percent(group.used.busy, group.used.busy < 0.0995 ? 1 : 0);
      put(CARD.pad, box.h - 40, cutText(group.used.name, room - 7 * share.length, 12) + share);
    }
    if (most !== null && count > 1) put(CARD.pad, box.h - 25, room < 110 ? `mean ${percent(mean)}` : `mean of all ${percent(mean)}`, 'small');
    put(CARD.pad, box.h - 9, cut(layout.wide ? foot[0] : foot.join(' \u00b7 ')), 'small');
  }
  // Arrow keys move over the instances.
  let at = -1;
  node.addEventListener('keydown', event => {
    const step = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    at = Math.max(0, Math.min(count - 1, at + step));
    node.querySelectorAll('.cell').forEach((cell, i) => cell.classList.toggle('here', i === at));
    const cell = node.querySelectorAll('.cell')[at] || node, place = cell.getBoundingClientRect();
    showTip(place.right, place.bottom, cellTip(run, group, at), true);
  });
  node.addEventListener('blur', () => { at = -1; hideTip(); node.querySelectorAll('.here').forEach(cell => cell.classList.remove('here')); });
  svg.append(node);
}

function drawMachine(run, width) {
  if (!run.machine) return null;
  const layout = layoutOf(run.machine, width), cycles = run.stats.summary.cycles;
  const svg = drawn('svg', {class: 'machine', viewBox: `0 0 ${layout.width} ${layout.height}`, width: layout.width, height: layout.height, role: 'group', 'aria-label': 'The machine: ' + run.machine.title});
  drawLinks(svg, run, layout, cycles);
  run.machine.groups.forEach((_, number) => drawGroup(svg, run, layout, number));
  const rows = run.machine.groups.flatMap(g => g.resources.map(r =>
    [`${g.name}.${r.name}`, figure(g.count), percent(r.busy), percent(r.share), percent(r.mean), percent(r.most), r.mean > 0 ? figure(Number((r.most / r.mean).toPrecision(4))) : '\u2013', r.gini.toFixed(3), element('td', {class: 'words'}, r.words)]));
  return [element('figure', {}, svg), notOnPaper(details('Loads as a table', table(['resource', 'instances', 'busy', 'used', 'mean', 'busiest', 'busiest / mean', 'Gini', ''], rows)))];
}

function machineView(host) {
  if (runNames().some(one => one.run.machine)) host.append(element('div', {class: 'legend'}, element('span', {}, 'load 0', element('span', {class: 'ramp'}), '100\u202f%'), element('span', {class: 'wordy'}, 'A cell is an instance, coloured by the busiest resource of its group, as the verdict has it; the group with the limit has a thick frame. A band is a link, as wide as it was busy, with the bytes that it can carry in a core cycle. Point at anything, or use Tab and the arrow keys.')));
  panes(host, drawMachine, {stacked: true, absent: 'The machine cannot be drawn: see what is left out above.'});
}
