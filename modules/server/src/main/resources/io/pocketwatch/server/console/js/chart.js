// SPDX-License-Identifier: Apache-2.0
// A chart of Chart.js with the page's colours, and the same numbers as a table beside it.
import {fill, h, table} from './dom.js';
import {t} from './language.js';
import {colour, onTheme} from './theme.js';

const SERIES = 8;
const MINUTE = 60_000;
const MARKS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080].map(minutes => minutes * MINUTE); // apart
const library = import('../lib/chart.js'); // makes Chart
const charts = [];

export const seriesColour = i => colour(`series-${i % SERIES + 1}`);

/**
 * @param type bar or line
 * @param y.format of the numbers on the axis and in the hints
 * @param y.hint of those in the hints, if it is another
 * @param y.ticks where the axis has its marks, if its scale is logarithmic
 * @returns with show({labels, at, series: [{name, values, colour, line, dashed}], about, columns, rows}), where the labels are those
 *   of the instants at; among bars, a line where it says so
 */
export function chart(type, y) {
  const canvas = h('canvas', {role: 'img'});
  const shown = h('div', {class: 'rows'});
  const details = h('details', {class: 'as-table', ontoggle: () => fillTable()}, h('summary', {'data-key': 'as-table'}, ''), shown);
  const root = h('div', {}, h('div', {class: 'chart'}, canvas), details);
  let made = null;
  let last = null;

  function fillTable() {
    details.firstChild.textContent = t('chart.table');
    fill(shown, details.open && last ? table(last.about, last.columns, last.rows()) : null);
  }

  async function paint() {
    if (last === null) {
      return;
    }
    await library;
    const data = {labels: last.labels, datasets: last.series.map(each => dataset(each.line ? 'line' : type, each))};
    if (made === null) {
      made = new Chart(canvas, {type, data, options: options(type, y, last)});
    } else {
      made.data = data;
      made.options = options(type, y, last);
      made.update('none');
    }
  }

  charts.push({repaint: () => root.isConnected && paint()});
  return {
    root,
    show(what) {
      last = what;
      canvas.setAttribute('aria-label', what.about);
      paint();
      fillTable();
    }
  };
}

function dataset(type, {name, values, colour: named, dashed}) {
  const paint = colour(named);
  return type === 'bar'
    ? {label: name, data: values, backgroundColor: paint, borderWidth: 0, barPercentage: 1, categoryPercentage: 0.86}
    : {type, label: name, data: values, borderColor: paint, backgroundColor: paint, borderWidth: 1.5, borderDash: dashed ? [4, 4] : [], tension: 0,
      pointRadius: context => alone(values, context.dataIndex) ? 2.5 : 0, pointHitRadius: 8};
}

/** From the first mark on; there is no zero. */
const logarithmic = ticks => ({
  type: 'logarithmic', min: ticks[0],
  afterBuildTicks: axis => { axis.ticks = ticks.filter(value => value <= axis.max).map(value => ({value})); }
});

/** A value between two gaps would be no line at all. */
const alone = (values, i) => values[i] !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null;

/** Which points have a mark: those where a round step of the reader's clock begins, as many as there is room for. */
function marks(at, most) {
  const local = at.map(each => {
    const date = new Date(each);
    return date.getTime() - date.getTimezoneOffset() * MINUTE;
  });
  const span = local[local.length - 1] - local[0];
  const step = MARKS.find(each => span / each <= most) ?? MARKS[MARKS.length - 1];
  const begins = i => i === 0 ? local[0] % step === 0 : Math.floor(local[i] / step) > Math.floor(local[i - 1] / step);
  return local.flatMap((_, i) => begins(i) ? [{value: i}] : []);
}

const room = (width, labels) => width / (7 * Math.max(...labels.map(each => each.length)) + 24);

function options(type, y, {at, labels}) {
  const text = colour('muted');
  const stacked = type === 'bar';
  return {
    responsive: true, maintainAspectRatio: false, animation: false, normalized: true,
    interaction: {mode: 'index', intersect: false},
    font: {family: getComputedStyle(document.body).fontFamily},
    scales: {
      x: {stacked, grid: {display: false}, border: {color: colour('line')},
        afterBuildTicks: axis => { axis.ticks = marks(at, room(axis.width, labels)); }, ticks: {color: text, autoSkip: false, maxRotation: 0}},
      y: {stacked, ...(y.ticks ? logarithmic(y.ticks) : {beginAtZero: true}), grid: {color: colour('grid')}, border: {display: false}, suggestedMax: y.atLeast,
        ticks: {color: text, maxTicksLimit: y.ticks ? undefined : 5, precision: y.whole ? 0 : undefined, callback: y.format}}
    },
    plugins: {
      legend: {position: 'bottom', align: 'start', labels: {color: colour('text'), boxWidth: 12, boxHeight: 12, padding: 14}},
      tooltip: {
        filter: item => !stacked || item.parsed.y > 0,
        callbacks: {label: item => ` ${item.dataset.label}: ${(y.hint ?? y.format)(item.parsed.y)}`}
      }
    }
  };
}

onTheme(() => charts.forEach(each => each.repaint()));
