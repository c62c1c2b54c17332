import { describe, expect, it } from 'vitest';
import { PARSERS, PERIODIC, type TextParser, type Worst } from './worst-texts.ts';

/** Each length is four times the one before: a linear parser takes 4 times as long, a quadratic one 16 times. */
const STEP = 4;
const SHORTEST = 500;
/** Between the two, so that a busy machine is not taken for a quadratic parser. */
const MOST_GROWTH = 9;
/** Below this a measurement is mostly of the compiler and the garbage collector. */
const NOISE_MS = 25;

const lengthsUpTo = (longest: number): number[] => {
  const lengths: number[] = [];
  for (let length = SHORTEST; length < longest; length *= STEP) lengths.push(length);
  return [...lengths, longest];
};

/** Milliseconds of processor time. */
async function costOf({ parse }: TextParser, text: string): Promise<number> {
  const before = process.cpuUsage();
  try {
    await parse(text);
  } catch {
    // A refusal is an answer.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The first length at which the cost grows by more than a linear parser's, with the costs; undefined where none does. */
async function steep(parser: TextParser, worst: Worst, longest = parser.longest): Promise<string | undefined> {
  let before = 0;
  for (const length of lengthsUpTo(longest)) {
    const text = worst(length);
    let cost = await costOf(parser, text);
    const most = NOISE_MS + MOST_GROWTH * before;
    for (let again = 0; again < 3 && cost > most; again++) cost = Math.min(cost, await costOf(parser, text));
    if (cost > most) return `${length} characters: ${cost} ms, and ${before} ms for a quarter of them`;
    before = cost;
  }
  return undefined;
}

describe('the processor time of a parser of outside text', () => {
  it.for(PARSERS)('grows at most linearly with the text: $name', { timeout: 300_000 }, async (parser) => {
    for (const [i, worst] of (parser.worst ?? []).entries()) {
      expect(await steep(parser, worst), `its own text ${i + 1}`).toBeUndefined();
    }
    if (parser.only) return;
    for (const [text, worst] of PERIODIC) {
      expect(await steep(parser, worst, Math.min(parser.longest, 20_000)), text).toBeUndefined();
    }
  });

  it('is seen to grow faster where it does', async () => {
    const quadratic: TextParser = { name: '', longest: 40_000, parse: (text) => /\s+$/.test(text) };
    expect(await steep(quadratic, (length) => `${' '.repeat(length)}x`)).toMatch(/ms, and/);
  });
});
