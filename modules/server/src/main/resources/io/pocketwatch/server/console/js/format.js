// SPDX-License-Identifier: Apache-2.0
// Numbers, spans and instants, in the reader's language and time zone, as the browser has them: its fields for times do not ask us.
import {h} from './dom.js';
import {locale, t} from './language.js';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86400;

export const number = value => value === null || value === undefined ? '–' : new Intl.NumberFormat(locale()).format(value);

export function rate(value) {
  return new Intl.NumberFormat(locale(), {maximumFractionDigits: value < 10 ? 1 : 0}).format(value);
}

/** A span in at most two units: 250 ms, 1.4 s, 5 min, 2 h 10 min, 3 d. */
export function span(seconds) {
  if (seconds === null || seconds === undefined) {
    return '–';
  }
  const unit = (value, name, digits = 0) =>
    new Intl.NumberFormat(locale(), {style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: digits}).format(value);
  if (seconds < 1) {
    return unit(Math.round(seconds * 1000), 'millisecond');
  }
  if (seconds < MINUTE) {
    return unit(seconds, 'second', seconds < 10 ? 1 : 0);
  }
  const [size, name, rest, smaller] = seconds < HOUR ? [MINUTE, 'minute', 1, 'second']
    : seconds < DAY ? [HOUR, 'hour', MINUTE, 'minute'] : [DAY, 'day', HOUR, 'hour'];
  const whole = Math.floor(seconds / size);
  const left = Math.floor(seconds % size / rest);
  return left === 0 ? unit(whole, name) : `${unit(whole, name)} ${unit(left, smaller)}`;
}

export const millis = value => value === null || value === undefined ? '–' : span(value / 1000);

/** A percentile of a histogram: only its bounds are known. */
export const bounds = known => known === null ? '–' : known.atMostMs === null ? `> ${millis(known.moreThanMs)}` : `≤ ${millis(known.atMostMs)}`;

/** Hours and minutes, with the day where it is not today's. */
export function clock(instant, withSeconds = false) {
  const date = new Date(instant);
  const today = date.toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(locale(), {
    ...(today ? {} : {month: 'short', day: 'numeric'}),
    ...(date.getFullYear() === new Date().getFullYear() ? {} : {year: 'numeric'}),
    hour: '2-digit', minute: '2-digit', ...(withSeconds ? {second: '2-digit'} : {})
  }).format(date);
}

/** The whole instant, with its zone. */
export const full = instant => new Intl.DateTimeFormat(locale(), {dateStyle: 'medium', timeStyle: 'long'}).format(new Date(instant));

/** in 5 min, or 5 min ago. */
export function away(instant, now = Date.now()) {
  const seconds = (new Date(instant).getTime() - now) / 1000;
  const words = span(Math.floor(Math.abs(seconds)));
  return Math.abs(seconds) < 1 ? t('time.now') : t(seconds > 0 ? 'time.in' : 'time.ago', {span: words});
}

/** An instant as an element, from which tools can read it exactly. */
export const time = instant => instant ? h('time', {datetime: instant, title: full(instant)}, clock(instant, true)) : '–';

/** As a field for a time wants it: 2030-01-31T08:00:00, in the browser's zone. */
export function local(date) {
  const two = value => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function zone() {
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const offset = new Intl.DateTimeFormat('en', {timeZoneName: 'longOffset'}).formatToParts(new Date())
    .find(part => part.type === 'timeZoneName').value;
  return name === 'UTC' ? name : `${name} (${offset})`;
}
