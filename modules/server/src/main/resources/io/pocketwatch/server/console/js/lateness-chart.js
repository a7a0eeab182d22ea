// SPDX-License-Identifier: Apache-2.0
// A chart of how late messages were, and its table. A column is the field of a point, the name, the colour, and whether it is dashed.
import {chart} from './chart.js';
import {millis} from './format.js';
import {t} from './language.js';

const TICKS = [1, 10, 100, 1e3, 1e4, 6e4, 6e5, 36e5, 864e5, 864e6, 864e7, 864e8, 864e9]; // 1 ms to 10,000 days
const EXACT = {height: value => value, words: millis, hint: millis};

/**
 * @param value.height where it is on the axis, in ms
 * @param value.words what the table says of it
 * @param value.hint the same of a height
 */
export function latenessChart(columns, value = EXACT) {
  // Of equal steps: one message that was due years ago would make a flat line of all others.
  const lines = chart('line', {format: millis, hint: value.hint, atLeast: 100, ticks: TICKS});

  // The line shows all points, the table those that are known, the last one first; a label says when a point is.
  function show(points, known, label, about) {
    lines.show({
      labels: points.map(label),
      at: points.map(point => point.at),
      series: columns.map(([field, name, colour, dashed]) => ({name: t(name), colour, dashed, values: points.map(point => point[field] === null ? null : Math.max(TICKS[0], value.height(point[field])))})),
      about,
      columns: [{title: t('series.from')}, ...columns.map(([, name]) => ({title: t(name), number: true}))],
      rows: () => known.toReversed().map(point => [label(point), ...columns.map(([field]) => value.words(point[field]))])
    });
  }

  return {root: lines.root, show};
}
