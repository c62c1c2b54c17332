/**
 * A small seeded random source, so that every generated passport can be made again from its number.
 *
 * @typedef {object} Random
 * @property {() => number} next a number from 0 (inclusive) to 1 (exclusive)
 * @property {(min: number, max: number) => number} integer a whole number from min to max, both inclusive
 * @property {(probability: number) => boolean} chance true with the given probability
 * @property {<T>(array: readonly T[]) => T} pick one item of an array, each as likely as the next
 * @property {<T>(choices: readonly (readonly [T, number])[]) => T} weighted one item, as likely as its weight says
 * @property {<T>(array: readonly T[]) => T[]} shuffle a new array with the items in random order
 * @property {<T>(array: readonly T[], count: number) => T[]} sample up to `count` different items in random order
 */

/**
 * Turns a seed of any kind into a 32-bit number (FNV-1a with a final mix, so that neighbouring seeds differ widely).
 *
 * @param {number | string} seed
 */
function hash(seed) {
  let state = 0x811c9dc5;
  for (const character of String(seed)) {
    state ^= character.codePointAt(0);
    state = Math.imul(state, 0x01000193);
  }
  state ^= state >>> 16;
  state = Math.imul(state, 0x85ebca6b);
  state ^= state >>> 13;
  state = Math.imul(state, 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}

/**
 * @param {number | string} seed
 * @returns {Random}
 */
export function createRandom(seed) {
  let state = hash(seed);

  // Mulberry32.
  function next() {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  function integer(min, max) {
    return min + Math.floor(next() * (max - min + 1));
  }

  function chance(probability) {
    return next() < probability;
  }

  function pick(array) {
    if (array.length === 0) throw new Error('Cannot pick from an empty array');
    return array[integer(0, array.length - 1)];
  }

  function weighted(choices) {
    let total = 0;
    for (const [, weight] of choices) total += weight;
    let left = next() * total;
    for (const [item, weight] of choices) {
      left -= weight;
      if (left < 0) return item;
    }
    if (choices.length === 0) throw new Error('Cannot pick from no choices');
    return choices[choices.length - 1][0];
  }

  function shuffle(array) {
    const result = [...array];
    for (let last = result.length - 1; last > 0; last -= 1) {
      const other = integer(0, last);
      [result[last], result[other]] = [result[other], result[last]];
    }
    return result;
  }

  function sample(array, count) {
    return shuffle(array).slice(0, Math.max(0, count));
  }

  return { next, integer, chance, pick, weighted, shuffle, sample };
}
