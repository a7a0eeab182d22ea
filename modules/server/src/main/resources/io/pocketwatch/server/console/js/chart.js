// SPDX-License-Identifier: Apache-2.0
// A chart of Chart.js with the page's colours, and the same numbers as a table beside it.
import {fill, h, table} from './dom.js';
import {t} from './language.js';
import {colour, onTheme} from './theme.js';

const SERIES = 8;
const library = import('../lib/chart.js'); // makes Chart
const charts = [];

export const seriesColour = i => colour(`series-${i % SERIES + 1}`);

/**
 * @param type bar or line
 * @param y.format of the numbers on the axis and in the hints
 * @param y.ticks where the axis has its marks, if its scale is logarithmic
 * @returns with show({labels, series: [{name, values, colour, line}], about, columns, rows}); among bars, a line where it says so
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
      made = new Chart(canvas, {type, data, options: options(type, y)});
    } else {
      made.data = data;
      made.options = options(type, y);
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

function dataset(type, {name, values, colour: named}) {
  const paint = colour(named);
  return type === 'bar'
    ? {label: name, data: values, backgroundColor: paint, borderWidth: 0, barPercentage: 1, categoryPercentage: 0.86}
    : {type, label: name, data: values, borderColor: paint, backgroundColor: paint, borderWidth: 1.5, tension: 0,
      pointRadius: context => alone(values, context.dataIndex) ? 2.5 : 0, pointHitRadius: 8};
}

/** From the first mark on; there is no zero. */
const logarithmic = ticks => ({
  type: 'logarithmic', min: ticks[0],
  afterBuildTicks: axis => { axis.ticks = ticks.filter(value => value <= axis.max).map(value => ({value})); }
});

/** A value between two gaps would be no line at all. */
const alone = (values, i) => values[i] !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null;

function options(type, y) {
  const text = colour('muted');
  const stacked = type === 'bar';
  return {
    responsive: true, maintainAspectRatio: false, animation: false, normalized: true,
    interaction: {mode: 'index', intersect: false},
    font: {family: getComputedStyle(document.body).fontFamily},
    scales: {
      x: {stacked, grid: {display: false}, border: {color: colour('line')},
        ticks: {color: text, autoSkip: true, autoSkipPadding: 24, maxRotation: 0}},
      y: {stacked, ...(y.ticks ? logarithmic(y.ticks) : {beginAtZero: true}), grid: {color: colour('grid')}, border: {display: false}, suggestedMax: y.atLeast,
        ticks: {color: text, maxTicksLimit: y.ticks ? undefined : 5, precision: y.whole ? 0 : undefined, callback: y.format}}
    },
    plugins: {
      legend: {position: 'bottom', align: 'start', labels: {color: colour('text'), boxWidth: 12, boxHeight: 12, padding: 14}},
      tooltip: {
        filter: item => !stacked || item.parsed.y > 0,
        callbacks: {label: item => ` ${item.dataset.label}: ${y.format(item.parsed.y)}`}
      }
    }
  };
}

onTheme(() => charts.forEach(each => each.repaint()));
