// SPDX-License-Identifier: Apache-2.0
// The last hour in steps, for the panels that draw it: asked for once, shown twice.
import {get} from './api.js';

const FRESH = 2_000;
let asked = null;
let askedAt = 0;

export function series() {
  if (asked === null || Date.now() - askedAt > FRESH) {
    askedAt = Date.now();
    asked = get('series').catch(problem => {
      asked = null;
      throw problem;
    });
  }
  return asked;
}
