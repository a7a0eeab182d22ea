// SPDX-License-Identifier: Apache-2.0
// How late messages were, over time.
import {chart} from '../js/chart.js';
import {fill} from '../js/dom.js';
import {clock, millis} from '../js/format.js';
import {t} from '../js/language.js';
import {empty, panel} from '../js/panel.js';
import {series} from '../js/series.js';

const LINES = [['latenessP50Ms', 'lateness.p50', 'series-1'], ['latenessP99Ms', 'lateness.p99', 'series-2'], ['latenessMaxMs', 'lateness.max', 'series-6']]; // the first above the others
export const TICKS = [1, 10, 100, 1e3, 1e4, 6e4, 6e5, 36e5, 864e5, 864e6, 864e7, 864e8, 864e9]; // 1 ms to 10,000 days
// Of equal steps: one message that was due years ago would make a flat line of all others.
const lines = chart('line', {format: millis, atLeast: 100, ticks: TICKS});

panel('lateness', 10, series, (body, {points, complete}) => {
  const known = points.filter(point => point.latenessP50Ms !== null);
  if (known.length === 0) {
    fill(body, complete ? empty(t('lateness.empty'), t('lateness.emptyAdvice')) : empty(t('series.reading')));
    return;
  }
  if (!body.contains(lines.root)) {
    fill(body, lines.root);
  }
  const last = known[known.length - 1];
  lines.show({
    labels: points.map(point => clock(point.at, true)),
    series: LINES.map(([field, name, colour]) => ({name: t(name), colour, values: points.map(point => point[field] === null ? null : Math.max(TICKS[0], point[field]))})),
    about: t('lateness.summary', {time: clock(last.at, true), p50: millis(last.latenessP50Ms), p99: millis(last.latenessP99Ms), max: millis(last.latenessMaxMs)}),
    columns: [{title: t('series.from')}, ...LINES.map(([, name]) => ({title: t(name), number: true}))],
    rows: () => known.toReversed().map(point => [clock(point.at, true), ...LINES.map(([field]) => millis(point[field]))])
  });
});
