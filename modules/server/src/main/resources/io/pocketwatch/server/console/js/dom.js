// SPDX-License-Identifier: Apache-2.0
// Builds elements. Text is only ever text: nothing here reads HTML.

/** h('button', {class: 'first', type: 'button', onclick: go}, 'Go'); null and false leave something out. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

export const find = (selector, within = document) => within.querySelector(selector);

/** Puts these in the place of what was there; what had the focus has it again, by its data-key. */
export function fill(parent, ...children) {
  const key = parent.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  parent.replaceChildren(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  if (key !== undefined) {
    parent.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({preventScroll: true});
  }
}

/**
 * A table that scrolls by itself on a narrow screen, and can then be reached by keyboard. A row is its cells, or
 * {cells, class}: gone if it is no longer what it was, overdue if it should be elsewhere by now.
 */
export function table(caption, columns, rows) {
  return h('div', {class: 'scroll', role: 'region', 'aria-label': caption, tabindex: 0, 'data-key': `table ${caption}`},
    h('table', {},
      h('caption', {class: 'unseen'}, caption),
      h('thead', {}, h('tr', {}, columns.map(column =>
        h('th', {scope: 'col', class: column.number ? 'number' : null, 'aria-sort': column.sort}, column.head ?? column.title)))),
      h('tbody', {}, rows.map(row => h('tr', {class: row.class || null}, (row.cells ?? row).map((cell, i) =>
        h(i === 0 ? 'th' : 'td', {scope: i === 0 ? 'row' : null, class: columns[i].number ? 'number' : null,
          'data-title': columns[i].title}, cell)))))));
}
