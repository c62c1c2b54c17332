import { median } from '../../../../base/median.ts';
import type { Component } from './binarize.ts';

/** A segment that should be horizontal or vertical, in pixels. */
export interface Segment {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** The components of typical letter size, by the larger side, which does not depend on the orientation. */
export function findLetters(components: readonly Component[]): Component[] {
  const candidates = components.filter((component) => {
    const side = larger(component);
    return side >= 6 && side <= 120 && smaller(component) >= 2 && component.area > 8;
  });
  if (candidates.length === 0) return [];
  const sides = candidates.map(larger).sort((a, b) => a - b);
  // Noise is smaller than letters.
  const typical = sides[Math.floor(sides.length * 0.6)]!;
  const letters = candidates.filter(
    (component) => larger(component) > typical * 0.5 && larger(component) < typical * 2.2,
  );
  return letters.slice(0, MAX_LETTERS);
}

/** Whether text runs vertically, by the direction to each letter's nearest neighbour. */
export function isTextVertical(letters: readonly Component[]): boolean {
  let across = 0;
  let down = 0;
  for (const [letter, neighbour] of nearestNeighbours(letters)) {
    const dx = Math.abs(neighbour.left + neighbour.right - letter.left - letter.right);
    const dy = Math.abs(neighbour.top + neighbour.bottom - letter.top - letter.bottom);
    if (dx > 1.5 * dy) across++;
    if (dy > 1.5 * dx) down++;
  }
  return down > across;
}

/** Finds the baselines of horizontal lines of at least six letters. */
export function findBaselines(letters: readonly Component[]): Segment[] {
  const height = median(letters.map((component) => component.bottom - component.top));
  const sorted = [...letters].sort((a, b) => a.left - b.left);
  const used = new Set<Component>();
  const segments: Segment[] = [];
  for (const [index, first] of sorted.entries()) {
    if (used.has(first)) continue;
    const line = [first];
    let last = first;
    for (let next = index + 1; next < sorted.length; next++) {
      const component = sorted[next]!;
      if (component.left > last.right + 2.5 * height) break;
      if (used.has(component) || component.left < last.left + (last.right - last.left) / 2) continue;
      const shared = Math.min(component.bottom, last.bottom) - Math.max(component.top, last.top);
      if (shared < 0.5 * Math.min(component.bottom - component.top, last.bottom - last.top)) continue;
      line.push(component);
      last = component;
    }
    for (const component of line) used.add(component);
    if (line.length >= 6 && last.right - first.left > 6 * height) segments.push(baseline(line));
  }
  return segments;
}

/** Fits the median slope between letters half a line apart, and the median offset. */
function baseline(line: readonly Component[]): Segment {
  const half = Math.floor(line.length / 2);
  const slopes: number[] = [];
  for (let i = 0; i + half < line.length; i++) {
    for (let j = i + half; j < Math.min(line.length, i + half + 4); j++) {
      const dx = line[j]!.left - line[i]!.left;
      if (dx > 0) slopes.push((line[j]!.bottom - line[i]!.bottom) / dx);
    }
  }
  const slope = median(slopes);
  const x0 = line[0]!.left;
  const x1 = line.at(-1)!.right;
  const y0 = median(line.map((component) => component.bottom - slope * (component.left - x0)));
  return { x0, y0, x1, y1: y0 + slope * (x1 - x0) };
}

/** The letters that have one near, with the nearest. */
export function nearestNeighbours(letters: readonly Component[]): [Component, Component][] {
  const sorted = [...letters].sort((a, b) => a.left - b.left);
  const widest = Math.max(0, ...sorted.map((component) => component.right - component.left));
  return sorted.flatMap((letter, index): [Component, Component][] => {
    let best: Component | undefined;
    let bestGap = 2 * larger(letter);
    for (const step of [-1, 1]) {
      for (let other = index + step; other >= 0 && other < sorted.length; other += step) {
        const component = sorted[other]!;
        if (step < 0 ? letter.left - component.left - widest > bestGap : component.left - letter.right > bestGap) break;
        const gap = Math.max(gapX(letter, component), gapY(letter, component));
        if (gap < bestGap && gap > -2) {
          bestGap = gap;
          best = component;
        }
      }
    }
    return best ? [[letter, best]] : [];
  });
}

const gapX = (a: Component, b: Component) => Math.max(a.left, b.left) - Math.min(a.right, b.right);
const gapY = (a: Component, b: Component) => Math.max(a.top, b.top) - Math.min(a.bottom, b.bottom);
const larger = (component: Component) => Math.max(component.right - component.left, component.bottom - component.top);
const smaller = (component: Component) => Math.min(component.right - component.left, component.bottom - component.top);

/** A dense page has 4,000. */
const MAX_LETTERS = 6000;
