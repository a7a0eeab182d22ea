// SPDX-License-Identifier: Apache-2.0
// How late messages were, over time.
import {fill} from '../js/dom.js';
import {clock, millis} from '../js/format.js';
import {t} from '../js/language.js';
import {latenessChart} from '../js/lateness-chart.js';
import {empty, panel} from '../js/panel.js';
import {series} from '../js/series.js';

const lines = latenessChart([['latenessMaxMs', 'lateness.max', 'series-6', true], ['latenessP50Ms', 'lateness.p50', 'series-1'], ['latenessP99Ms', 'lateness.p99', 'series-2']]); // the first above the others, and dashed: of few messages it is the p99

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
  const about = t('lateness.summary', {time: clock(last.at, true), p50: millis(last.latenessP50Ms), p99: millis(last.latenessP99Ms), max: millis(last.latenessMaxMs)});
  lines.show(points, known, point => clock(point.at, true), about);
});
