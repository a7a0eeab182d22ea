// SPDX-License-Identifier: Apache-2.0
// Before the first paint, so that a dark page does not flash white.
try {
  const theme = localStorage.getItem('pocketwatch.theme');
  if (theme === 'light' || theme === 'dark') {
    document.documentElement.dataset.theme = theme;
  }
} catch {
  // storage may be forbidden; the system's choice then counts
}
