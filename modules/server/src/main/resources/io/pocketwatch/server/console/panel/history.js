// SPDX-License-Identifier: Apache-2.0
// Lateness and counts of a day, a week or a month, as loaders have counted them. The address of the page says which.
import * as address from '../js/address.js';
import {get, query} from '../js/api.js';
import {chart} from '../js/chart.js';
import {fill, h} from '../js/dom.js';
import {bounds, clock, millis, number} from '../js/format.js';
import {t} from '../js/language.js';
import {latenessChart} from '../js/lateness-chart.js';
import {empty, panel} from '../js/panel.js';

const COUNTS = [['settled', 'series-3'], ['failed', 'series-6'], ['cancelled', 'series-8'], ['scheduled', 'series-1']];
const BEHIND = 600_000; // counted two minutes after it happened, by whichever loader lives
const range = document.getElementById('history-range');
const route = document.getElementById('history-route');
const usual = range.value;
const bars = chart('bar', {format: number, whole: true, atLeast: 4});
const DAY = 86_400_000; // the last bound
const lines = latenessChart([['latenessP99', 'lateness.p99', 'series-2'], ['latenessP50', 'lateness.p50', 'series-1']], {
  height: known => known.atMostMs ?? 10 * DAY, words: bounds, hint: value => value > DAY ? `> ${millis(DAY)}` : `≤ ${millis(value)}`
});
const charts = h('div', {class: 'pair'}, bars.root, lines.root);

const counted = panel('history', 30, () => get(`history?${query({range: range.value, route: route.value})}`), show);

const CHOICES = [[range, 'history', usual], [route, 'historyRoute', '']];

/** As the address says. */
export function arrive() {
  const before = range.value + route.value;
  for (const [choice, name, fallback] of CHOICES) {
    const asked = address.parameters()[name] ?? fallback;
    if (choice === route) {
      offer(asked);
    }
    choice.value = [...choice.options].some(option => option.value === asked) ? asked : fallback;
  }
  if (before !== range.value + route.value) {
    counted.refresh(true);
  }
}

for (const [choice, name, fallback] of CHOICES) {
  choice.addEventListener('change', () => {
    address.amend({[name]: choice.value === fallback ? '' : choice.value});
    counted.refresh(true);
  });
}

function show(body, {countedUpTo, total, points}) {
  const behind = Date.now() - new Date(countedUpTo).getTime() > BEHIND
    ? h('p', {class: 'flag bad'}, t('history.behind', {time: clock(countedUpTo)})) : null;
  const known = points.filter(point => COUNTS.some(([field]) => point[field] > 0));
  if (known.length === 0) {
    fill(body, behind, empty(t('history.empty'), t('history.emptyAdvice')));
    return;
  }
  const facts = {...Object.fromEntries(COUNTS.map(([field]) => [field, number(total[field])])), p50: bounds(total.latenessP50), p99: bounds(total.latenessP99)};
  const sum = h('dl', {class: 'sums'}, Object.entries(facts).map(([name, value]) => h('div', {}, h('dt', {}, t(`history.${name}`)), h('dd', {}, value))));
  fill(body, behind, sum, charts);
  const label = point => clock(point.at);
  bars.show({
    labels: points.map(label),
    at: points.map(point => point.at),
    series: COUNTS.map(([field, colour]) => ({name: t(`history.${field}`), colour, line: field === 'scheduled', values: points.map(point => point[field])})),
    about: t('history.counts', facts),
    columns: [{title: t('series.from')}, ...COUNTS.map(([field]) => ({title: t(`history.${field}`), number: true}))],
    rows: () => known.toReversed().map(point => [label(point), ...COUNTS.map(([field]) => number(point[field]))])
  });
  lines.show(points, known, label, t('history.lateness', facts));
}

function offer(name) {
  if (name && ![...route.options].some(option => option.value === name)) {
    route.append(h('option', {value: name}, name));
  }
}

get('routes').then(({routes}) => routes.forEach(({name}) => offer(name)), () => {});
