// SPDX-License-Identifier: Apache-2.0
// Lays out JSON text for the eye. It is never parsed and printed again. Numbers, keys, their order and texts stay
// as they were sent; only the white space between them is other.
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;
const STEP = '  ';

/** The text laid out, or null if it is no JSON object or list. */
export function indent(text) {
  if (!/^\s*[{[]/.test(text) || !sound(text)) {
    return null;
  }
  const tokens = text.match(TOKEN);
  let depth = 0;
  let laid = '';
  tokens.forEach((token, i) => {
    const before = tokens[i - 1];
    const closes = token === '}' || token === ']';
    const opened = before === '{' || before === '[';
    depth -= closes ? 1 : 0;
    if (before === ',' || opened !== closes && i > 0) {
      laid += `\n${STEP.repeat(depth)}`;
    } else if (before === ':') {
      laid += ' ';
    }
    laid += token;
    depth += token === '{' || token === '[' ? 1 : 0;
  });
  return laid;
}

function sound(text) {
  try {
    JSON.parse(text); // for its verdict only
    return true;
  } catch {
    return false;
  }
}
