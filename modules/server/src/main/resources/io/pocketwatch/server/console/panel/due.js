// SPDX-License-Identifier: Apache-2.0
// What comes due, stacked by route.
import {get, query} from '../js/api.js';
import {chart} from '../js/chart.js';
import {fill} from '../js/dom.js';
import {clock, number} from '../js/format.js';
import {t} from '../js/language.js';
import {empty, panel} from '../js/panel.js';

const MOST_ROUTES = 7; // the rest is one series
const range = document.getElementById('due-range');
const bars = chart('bar', {format: number, whole: true, atLeast: 4});

if (matchMedia('(max-width: 40rem)').matches) {
  range.value = '1/1';
}

const due = panel('due', 10, () => {
  const [hours, stepMinutes] = range.value.split('/');
  return get(`counts/due?${query({hours, stepMinutes})}`);
}, show);

range.addEventListener('change', due.refresh);

function show(body, answer) {
  const routes = dense(answer);
  if (routes.length === 0) {
    fill(body, empty(t('due.empty'), t('due.emptyAdvice')));
    return;
  }
  if (!body.contains(bars.root)) {
    fill(body, bars.root);
  }
  const at = Array.from({length: answer.steps}, (_, i) => instant(answer, i));
  const labels = at.map(each => clock(each));
  const colours = coloursOf(routes.filter(each => !each.rest).map(each => each.name));
  const total = routes.reduce((sum, route) => sum + route.total, 0);
  const about = t('due.summary', {count: number(total), routes: routes.map(route => route.name).join(', ')});
  bars.show({
    labels, at, about,
    series: routes.map(({name, values, rest}) => ({name, values, colour: rest ? 'series-8' : colours.get(name)})),
    columns: [{title: t('due.from')}, ...routes.map(route => ({title: route.name, number: true}))],
    rows: () => labels
      .map((label, i) => [label, ...routes.map(route => number(route.values[i]))])
      .filter((_, i) => routes.some(route => route.values[i] > 0))
  });
}

/** By their names, so that a route has its colour on every screen; two that are shown never have the same one. */
export function coloursOf(names) {
  const colours = new Map();
  const taken = new Set();
  for (const name of names.toSorted()) {
    let place = [...name].reduce((hash, letter) => (hash * 31 + letter.codePointAt(0)) % 65_521, 7) % MOST_ROUTES;
    while (taken.has(place)) {
      place = (place + 1) % MOST_ROUTES;
    }
    taken.add(place);
    colours.set(name, `series-${place + 1}`);
  }
  return colours;
}

const instant = (answer, step) => new Date(answer.from).getTime() + step * answer.stepSeconds * 1000;

/** The routes with most first, each with a number per step; those of all others together at the end. */
function dense(answer) {
  const routes = Object.entries(answer.routes).map(([name, pairs]) => {
    const values = new Array(answer.steps).fill(0);
    pairs.forEach(([step, count]) => { values[step] = count; });
    return {name, values, total: pairs.reduce((sum, [, count]) => sum + count, 0)};
  }).sort((a, b) => b.total - a.total || a.name.localeCompare(b.name));
  const rest = routes.splice(MOST_ROUTES);
  if (rest.length > 0) {
    routes.push({
      rest: true,
      name: t('due.others', {count: number(rest.length)}),
      values: rest[0].values.map((_, i) => rest.reduce((sum, route) => sum + route.values[i], 0)),
      total: rest.reduce((sum, route) => sum + route.total, 0)
    });
  }
  return routes;
}
