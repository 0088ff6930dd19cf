// The headline of the page: what limited the run, or how much faster B is and where its accesses wait less.
const ROLE_WORDS = {sm: 'the SMs', l1: 'the L1s', router: 'the network', llc: 'the LLC slices', memory: 'the memory controllers', channel: 'the DRAM channels'};
/// By cause: which block spends fewer or more cycles, and on what. `{less}` is replaced by the change,
/// `{place}` by the block.
const CAUSE_CLAUSES = {
  request_link: 'requests spend {less} time on the links of {place}', request_serial: 'requests take {less} time to send through {place}', request_router: 'requests spend {less} time in the router stages of {place}',
  request_queue: 'requests wait {less} in {place}', queue: 'requests wait {less} in front of {place}', port: 'requests wait {less} for ports of {place}', pipeline: 'tag and data access takes {less} time at {place}',
  full: 'requests wait {less} for a free MSHR or line at {place}', merge: 'requests wait {less} for fills in flight at {place}', miss_queue: 'misses wait {less} to leave {place}',
  activate: '{place} spend {less} time on opening rows', conflict: '{place} spend {less} time on row conflicts', access: 'column accesses take {less} time at {place}', bus: 'bursts take {less} time at {place}',
  reply_port: 'replies wait {less} at {place}', reply_link: 'replies spend {less} time on the links of {place}', reply_serial: 'replies take {less} time to send through {place}', reply_router: 'replies spend {less} time in the router stages of {place}',
  reply_queue: 'replies wait {less} in {place}', fill: 'fills take {less} time at {place}', reconfiguration: 'requests stand still for {less} time while {place} change', external: 'requests spend {less} time inside {place}'};

/// For two runs of the same work the ratio of their cycles, otherwise of their work per cycle.
function speedOf(a, b) {
  const [x, y] = [a.stats.summary, b.stats.summary], near = name => isNumber(x[name]) && isNumber(y[name]) && x[name] > 0 && Math.abs(y[name] / x[name] - 1) < 1e-3;
  const same = a.stats.run.trace === b.stats.run.trace && !a.stats.partial && !b.stats.partial && (x.thread_instructions > 0 ? near('thread_instructions') : near('line_accesses'));
  if (same && x.cycles > 0 && y.cycles > 0) return {ratio: x.cycles / y.cycles, same, exact: x.cycles === y.cycles};
  for (const [name, words] of [['ipc', 'instructions'], ['line_access_rate', 'line accesses']])
    if (x[name] > 0 && y[name] > 0) return {ratio: y[name] / x[name], same: false, words};
  return null;
}

/// The kind of access with the most cycles in A, and the cause that changed most in the direction of B's
/// speed.
function reasonOf(a, b, faster) {
  const heaviest = ['loads', 'stores', 'atomics'].map(name => [name, (a.stats.ledger[name] || {}).latency || 0]).sort((x, y) => y[1] - x[1])[0][0];
  const [one, other] = [a, b].map(run => run.stats.ledger[heaviest]);
  if (!one || !other || !one.accesses || !other.accesses) return null;
  const changes = [...new Set([...Object.keys(one.cycles), ...Object.keys(other.cycles)])].map(key => ({key, by: (other.cycles[key] || 0) / other.accesses - (one.cycles[key] || 0) / one.accesses}));
  const most = changes.filter(change => faster ? change.by < 0 : change.by > 0).sort((x, y) => Math.abs(y.by) - Math.abs(x.by))[0];
  if (!most || Math.abs(most.by) < 0.01 * one.latency / one.accesses) return null;
  const at = most.key.lastIndexOf('.'), place = most.key.slice(0, at), role = a.stats.ledger_places[place] || b.stats.ledger_places[place];
  const words = (CAUSE_CLAUSES[most.key.slice(at + 1)] || `accesses spend {less} time in ${most.key}`).replace('{place}', ROLE_WORDS[role] || place).replace('{less}', faster ? 'less' : 'more');
  return {words, detail: `${most.key}: ${most.by > 0 ? '+' : '\u2212'}${figure(Number(Math.abs(most.by).toPrecision(3)))} of the ${figure(Number((one.latency / one.accesses).toPrecision(3)))} cycles that a mean ${heaviest.replace(/s$/, '')} takes in A.`};
}

/// The text of the verdict: each line a keyword and its text, with wrapped lines joined.
function verdictLines(run) {
  const {text} = run.stats.verdict || {};
  if (typeof text !== 'string') return [];
  return text.split(/\n(?=\S)/).map(line => line.trim().replace(/\n\s+/g, ' ')).filter(Boolean).map(line => (line.match(/^(\S+)\s{2,}(.*)$/) || [null, '', line]).slice(1));
}

/// The headline, and below it in small print the origin of its figures.
function headline() {
  const [a, b] = runNames().map(one => one.run);
  if (!b) {
    const line = verdictLines(a).find(([word]) => word === 'verdict');
    return {words: line ? line[1].replace(/ \[[^\]]*\]\.?$/, '').replace(/ \([^)]*\)/g, '') : `${figure(a.stats.summary.cycles)} core cycles`, detail: null};
  }
  const speed = speedOf(a, b);
  if (!speed) return {words: 'A and B have no figure of speed in common', detail: null};
  const change = Math.abs(speed.ratio - 1), faster = speed.ratio > 1;
  if (speed.exact) return {words: 'A and B take the same number of cycles', detail: null};
  const amount = change < 5e-4 ? 'less than 0.1\u202f%' : change < 0.0995 ? percent(change) : percent(change, 0);
  const head = speed.same ? `B is ${amount} ${faster ? 'faster' : 'slower'}` : `B does ${amount} ${faster ? 'more' : 'fewer'} ${speed.words} per cycle, of other work than A`;
  const reason = speed.same && change >= 5e-4 ? reasonOf(a, b, faster) : null;
  return {words: head + (reason ? ': ' + reason.words : ''), detail: reason ? reason.detail : null};
}
