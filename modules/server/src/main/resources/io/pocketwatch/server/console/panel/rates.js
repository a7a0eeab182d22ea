// SPDX-License-Identifier: Apache-2.0
// How many messages are scheduled, handed off, come due and are settled, over time.
import {chart} from '../js/chart.js';
import {fill} from '../js/dom.js';
import {clock, rate} from '../js/format.js';
import {t} from '../js/language.js';
import {empty, panel} from '../js/panel.js';
import {series} from '../js/series.js';

const LINES = [['scheduled', 'rates.scheduled', 'series-1'], ['handedOver', 'rates.handedOver', 'series-4'], ['due', 'rates.due', 'series-2'], ['settled', 'rates.settled', 'series-3']];
const lines = chart('line', {format: rate, atLeast: 1});

panel('rates', 10, series, (body, {points, stepSeconds, complete}) => {
  const some = points.filter(point => LINES.some(([field]) => point[field] > 0));
  if (some.length === 0) {
    fill(body, complete ? empty(t('rates.empty'), t('rates.emptyAdvice')) : empty(t('series.reading')));
    return;
  }
  if (!body.contains(lines.root)) {
    fill(body, lines.root);
  }
  const perSecond = (point, field) => point[field] / stepSeconds;
  const last = points[points.length - 1];
  lines.show({
    labels: points.map(point => clock(point.at, true)),
    at: points.map(point => point.at),
    series: LINES.map(([field, name, colour]) => ({name: t(name), colour, values: points.map(point => perSecond(point, field))})),
    about: t('rates.summary', {time: clock(last.at, true), ...Object.fromEntries(LINES.map(([field]) => [field, rate(perSecond(last, field))]))}),
    columns: [{title: t('series.from')}, ...LINES.map(([, name]) => ({title: t(name), number: true}))],
    rows: () => some.toReversed().map(point => [clock(point.at, true), ...LINES.map(([field]) => rate(perSecond(point, field)))])
  });
});
