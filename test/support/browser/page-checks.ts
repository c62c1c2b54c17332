import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** Layout and accessibility violations, one line each. With `colours`, checks only the colour contrast. */
export async function findViolations(page: Page, { colours = false }: { colours?: boolean } = {}): Promise<string[]> {
  if (colours) return accessibilityViolations(page, { runOnly: ['color-contrast'] });
  return [...(await accessibilityViolations(page, AXE_OPTIONS)), ...(await overflowViolations(page))];
}

/** Adds the check for targets smaller than 24 px (WCAG 2.2, 2.5.8), which axe does not run by default. */
const AXE_OPTIONS = { rules: { 'target-size': { enabled: true } } };

/** The minified file: Chromium compiles it in half the time of the default one. */
const AXE_SOURCE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

async function accessibilityViolations(page: Page, options: object): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE_SOURCE);
  return page.evaluate<string[]>(`axe.run({ resultTypes: ['violations'], ...${JSON.stringify(options)} })
    .then(({ violations }) => violations
      .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`);
}

/** Reports horizontal overflow and the overflowing elements. */
async function overflowViolations(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const beyond = [...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > clientWidth);
    const names = beyond.slice(0, 3).map((one) => one.outerHTML.slice(0, 120));
    return [scrollWidth + ' px wide in a window of ' + clientWidth + ': ' + names.join(' | ')];
  })()`);
}
