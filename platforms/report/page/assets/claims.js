// Papers: each claim beside its measured value, and the verdict.
const VERDICTS = ['within tolerance', 'same sign', 'miss', 'not run'];
for (const paper of DATA.papers) paper.shown = {verdict: '', figure: ''};

const withUnit = (claim, v) => !isNumber(v) ? '\u2013' : (claim.unit && v > 0 ? '+' : v < 0 ? '\u2212' : '') + figure(Number(Math.abs(v).toPrecision(4))) + (claim.unit ? '\u202f' + claim.unit : '');
const paperWords = claim => claim.printed ? withUnit(claim, claim.paper) : claim.paper > 0 ? 'above 0' : 'below 0';
const verdictTag = (verdict, words) => element('span', {class: 'verdict-tag ' + verdict.split(' ')[0]}, words || verdict);
/// A claim of which only the sign is known holds or does not hold.
const verdictWords = claim => claim.verdict === 'within tolerance' && !claim.printed ? 'sign holds' : claim.verdict;

/// The paper's bar above the measured one.
function claimChart(claim, width, domain) {
  const bars = [{who: 'paper', value: claim.printed ? claim.paper : null}, {who: 'Strata', value: claim.model}].filter(b => isNumber(b.value));
  const label = bar => withUnit(claim, bar.value), end = b => Math.max(0, b.value, b.who === 'Strata' && isNumber(claim.most) ? claim.most : 0);
  const chart = Plot.plot({width, height: 75, marginLeft: 52, marginRight: 12, marginTop: 2, marginBottom: 23, style: chartStyle,
    x: {domain, label: null, ticks: Math.max(2, Math.round(width / 110)), tickFormat: v => figure(v)}, y: {domain: ['paper', 'Strata'], label: null, tickSize: 0, padding: 0.16},
    color: {domain: ['paper', 'Strata'], range: ['var(--p-other)', 'var(--a)']},
    marks: [
      claim.printed && claim.tolerance > 0 ? Plot.rectX([claim], {x1: c => Math.max(domain[0], c.paper - c.tolerance), x2: c => Math.min(domain[1], c.paper + c.tolerance), fill: 'var(--good)', fillOpacity: 0.13}) : null,
      Plot.barX(bars, {x: 'value', y: 'who', fill: 'who'}), Plot.ruleX([0], {stroke: 'var(--soft)'}),
      isNumber(claim.least) && claim.least < claim.most ? Plot.link([claim], {x1: 'least', x2: 'most', y1: () => 'Strata', y2: () => 'Strata', stroke: 'var(--ink)', strokeWidth: 1.5, markerStart: 'tick', markerEnd: 'tick'}) : null,
      Plot.text(bars, {x: end, y: 'who', text: label, dx: 6, textAnchor: 'start', fill: 'var(--ink)'}),
      Plot.tip(bars, Plot.pointerY({x: b => b.value / 2, y: 'who', fill: 'var(--paper)', stroke: 'var(--line)', title: b => `${b.who}: ${label(b)}` + (b.who === 'Strata' && claim.least < claim.most ? `\nover the seeds ${withUnit(claim, claim.least)} to ${withUnit(claim, claim.most)}` : b.who === 'paper' && claim.tolerance > 0 ? `\nwithin tolerance: ${withUnit(claim, claim.paper - claim.tolerance)} to ${withUnit(claim, claim.paper + claim.tolerance)}` : '')})),
    ]});
  chart.setAttribute('role', 'img');
  chart.setAttribute('aria-label', `paper ${paperWords(claim)}, Strata ${withUnit(claim, claim.model)}`);
  return chart;
}

function claimCard(claim) {
  const card = element('div', {class: 'claim', 'data-claim': claim.name}, element('div', {class: 'says'}, element('span', {}, claim.says), verdictTag(claim.verdict, verdictWords(claim))));
  if (claim.verdict === 'not run') card.append(element('p', {class: 'soft'}, `Paper ${paperWords(claim)}; not run: ${claim.reason}.`));
  else if (!HAS_CHARTS) card.append(element('p', {}, `Paper ${paperWords(claim)}, Strata ${withUnit(claim, claim.model)}.`));
  else card.append(element('figure', {class: 'claim-chart'}));
  if (claim.verdict !== 'not run' && !claim.printed && HAS_CHARTS) card.append(element('p', {class: 'soft'}, `The paper prints no figure: ${paperWords(claim)}.`));
  if (claim.values.length > 1) card.append(details(`Of ${claim.values.length} workloads`, table(['workload', 'Strata'], claim.values.map(([name, value]) => [name, withUnit(claim, value)]))));
  if (claim.ledger) card.append(details('Evidence from the ledger', element('p', {}, claim.ledger + '.')));
  return card;
}

function claimsOf(paper, host, claims) {
  const groups = new Map();
  for (const claim of claims) { const key = claim.figures.join(', '); groups.set(key, [...(groups.get(key) || []), claim]); }
  for (const [figures, own] of groups) {
    const grid = element('div', {class: 'claims'}, own.map(claimCard));
    host.append(element('h3', {}, 'Figure ' + figures), grid);
    if (HAS_CHARTS) own.forEach((claim, i) => {
      const place = grid.children[i].querySelector('.claim-chart');
      if (!place) return;
      const alike = own.filter(other => other.unit === claim.unit && isNumber(other.model)).flatMap(other => [other.printed ? other.paper : 0, other.model, other.least, other.most]);
      const low = Math.min(0, ...alike), high = Math.max(0, ...alike), room = high - low || 1;
      place.append(claimChart(claim, place.clientWidth, [low < 0 ? low - 0.06 * room : 0, high + 0.34 * room]));
    });
  }
}

function claimsView(paper, host, again) {
  const shown = paper.shown, figures = [...new Set(paper.claims.flatMap(c => c.figures))];
  if (paper.interrupted) host.append(element('div', {class: 'notice bad', role: 'note'}, element('strong', {}, 'Interrupted: '), 'this covers the runs that had finished.'));
  if (paper.failures.length) host.append(element('div', {class: 'notice bad', role: 'note'}, element('strong', {}, 'Runs that failed: '), paper.failures.map(f => `${f.run}: ${f.why}`).slice(0, 8).join('; ') + '.'));
  const all = [...paper.claims, ...paper.orders, ...paper.decisions.flatMap(d => d.bars)], count = verdict => all.filter(one => one.verdict === verdict).length;
  host.append(element('p', {}, VERDICTS.map((verdict, i) => [i ? ', ' : '', verdictTag(verdict, `${count(verdict)} ${verdict}`)]).flat(), '.'),
    element('p', {class: 'soft'}, `${paper.command}; ${paper.effort} effort, ${paper.seeds} ${paper.seeds === 1 ? 'seed' : 'seeds'}.`));
  const pick = (words, field, options) => {
    const select = element('select', {'aria-label': words, 'data-pick': field}, options.map(([value, name]) => element('option', {value}, name)));
    select.value = shown[field];
    select.addEventListener('change', () => { shown[field] = select.value; again(); });
    return element('label', {}, words, select);
  };
  host.append(element('div', {class: 'controls'}, pick('Figure', 'figure', [['', 'all'], ...figures.map(f => [f, f])]), pick('Verdict', 'verdict', [['', 'all'], ...VERDICTS.map(v => [v, v])])), swatches([['paper', 'var(--p-other)'], ['Strata', 'var(--a)'], ['within tolerance', 'color-mix(in oklab, var(--good) 18%, var(--paper))']]));
  const wanted = one => (!shown.verdict || one.verdict === shown.verdict) && (!shown.figure || !one.figures || one.figures.includes(shown.figure));
  const claims = paper.claims.filter(wanted), orders = paper.orders.filter(wanted);
  if (!claims.length) host.append(element('p', {class: 'soft'}, 'No such claims.'));
  claimsOf(paper, host, claims);
  if (orders.length) host.append(element('h3', {}, 'Orders'), table(['order', 'figure', 'goes', 'Strata', 'verdict'], orders.map(o => [o.says, o.figures.join(', '), o.falling ? 'down' : 'up', o.values.map(v => figure(Number(v.toPrecision(4)))).join(', ') || '\u2013', verdictTag(o.verdict, o.verdict === 'within tolerance' ? 'holds' : o.verdict)])));
  for (const decision of paper.decisions) if (decision.bars.some(wanted)) host.append(element('h3', {}, decision.says), table(['bar', 'asked', 'found', 'verdict'], decision.bars.filter(wanted).map(b => [b.says, b.asked, b.found, verdictTag(b.verdict)])));
  host.append(details('Claims as a table', table(['claim', 'figure', 'paper', 'Strata', 'over the seeds', 'verdict'], paper.claims.map(c => [c.says, c.figures.join(', '), paperWords(c), withUnit(c, c.model), isNumber(c.least) && c.least < c.most ? `${withUnit(c, c.least)} to ${withUnit(c, c.most)}` : '\u2013', verdictTag(c.verdict, verdictWords(c))]))));
}
