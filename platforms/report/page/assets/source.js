// Source lines that wait for memory: by instruction, and within the text of their files.
const baseName = path => path.slice(path.lastIndexOf('/') + 1);

/// Rows of by_source.csv with derived figures. `path` and `number` refer to the source, or else to the PTX.
function sourceRows(run) {
  const data = run.by_source;
  if (!data || !data.rows.length) return null;
  const of = Object.fromEntries(data.columns.map((name, i) => [name, i]));
  return data.rows.map(row => {
    const get = name => row[of[name]], own = get('file') && get('line') > 0, listed = !own && get('listing') && get('listing_line') > 0;
    const path = own ? String(get('file')) : listed ? String(get('listing')) : '', number = own ? get('line') : listed ? get('listing_line') : null;
    const source = path && data.sources[path], text = source ? (Array.isArray(source.lines) ? source.lines[number - 1] : source.lines[number]) : undefined;
    const executed = get('warp_instructions'), write = get('class') === 'store';
    return {path, number, text: text === undefined ? null : text.trim().replace(/\s+/g, ' '), kernel: String(get('kernel')), instruction: String(get('instruction') || ''), executed, write,
      where: path ? `${baseName(path)}:${number}` : get('line') > 0 ? `line ${get('line')}` : `PC 0x${Number(get('pc')).toString(16)}`,
      share: write ? null : get('share_of_load_cycles'), stalls: write || of.share_of_stalls === undefined ? null : get('share_of_stalls'), lines: executed ? get('lines') / executed : null, hits: get('l1_accesses') ? get('l1_hits') / get('l1_accesses') : null,
      each: write || !executed ? null : get('cycles') / executed};
  });
}

const shareBar = share => element('span', {class: 'share'}, element('i', {style: `width:${(100 * share).toFixed(1)}%`}));

function sourceTable(rows) {
  const most = Math.max(1e-12, ...rows.map(row => row.stalls || 0)), several = new Set(rows.map(row => row.kernel)).size > 1;
  return table(['place', 'source', 'share of stalls', 'share of load cycles', 'executed', 'lines each', 'L1 hit rate', 'cycles each', 'instruction', ...(several ? ['kernel'] : [])], rows.map(row => [
    sorted(row.path ? baseName(row.path) + String(row.number).padStart(9, '0') : row.where, row.where, {title: row.path || null}), sorted(row.text || '', element('code', {}, row.text || ''), {class: 'code'}),
    sorted(row.stalls, row.stalls === null ? '\u2013' : [shareBar(row.stalls / most), element('span', {class: 'amount'}, percent(row.stalls))]), percent(row.share),
    figure(row.executed), sorted(row.lines, isNumber(row.lines) ? row.lines.toFixed(2) : '\u2013'), percent(row.hits), figure(row.each === null ? null : Math.round(row.each)),
    element('td', {class: 'left'}, row.instruction), ...(several ? [element('td', {class: 'left', title: row.kernel}, shortKernel(row.kernel))] : [])]), {sort: true});
}

/// A file with each line's share of stalls; lines without memory accesses are grey.
function sourceText(path, source, rows) {
  const own = rows.filter(row => row.path === path), most = Math.max(1e-12, ...rows.map(row => row.stalls || 0)), shares = new Map();
  for (const row of own) shares.set(row.number, (shares.get(row.number) || 0) + (row.stalls || 0));
  const lines = Array.isArray(source.lines) ? source.lines.map((text, i) => [i + 1, text]) : Object.entries(source.lines).map(([number, text]) => [Number(number), text]).sort((x, y) => x[0] - y[0]);
  const all = sum([...shares.values()]);
  const box = notOnPaper(details(`${baseName(path)}: ${Array.isArray(source.lines) ? `all ${figure(lines.length)} lines` : 'the lines with accesses'}, ${percent(all)} of stalls`));
  box.dataset.source = path;
  // Drawn when opened: files are long.
  box.addEventListener('toggle', () => {
    if (!box.open || box.querySelector('.listing')) return;
    box.append(element('div', {class: 'listing', tabindex: 0, role: 'group', 'aria-label': path}, lines.map(([number, text]) => {
      const share = shares.get(number), head = [element('span', {class: 'number'}, String(number)), element('span', {class: 'part'}, share ? percent(share) : '')];
      return element('div', {class: share === undefined ? 'code-line quiet' : 'code-line', style: share ? loadStyle(Math.min(1, share / most)) : null}, head, element('code', {}, text || ' '));
    })));
  });
  return box;
}

function drawSource(run) {
  const rows = sourceRows(run);
  if (!rows) return null;
  const {sources} = run.by_source, paths = [...new Set(rows.map(row => row.path).filter(Boolean))], gone = paths.filter(path => !sources[path]), changed = paths.filter(path => sources[path] && sources[path].changed);
  const weight = path => sum(rows.filter(row => row.path === path).map(row => row.stalls || 0));
  return [
    changed.length ? element('div', {class: 'notice', role: 'note'}, element('strong', {}, 'Changed since the run: '), `${changed.join(', ')}. Lines may differ from those that ran.`) : null,
    gone.length ? element('p', {class: 'soft'}, `Could not be read when this page was made: ${gone.join(', ')}.`) : null,
    sourceTable(rows),
    ...paths.filter(path => sources[path]).sort((x, y) => weight(y) - weight(x)).map(path => sourceText(path, sources[path], rows))];
}
const sourceView = host => panes(host, drawSource, {stacked: true, absent: 'This run was made without --by-source.'});
