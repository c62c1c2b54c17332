import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PARSERS, PERIODIC_TEXTS, type TextGenerator, type TextParser } from './worst-texts.ts';

/** Each text is four times as long as the previous one: linear cost grows 4 times, quadratic cost 16 times. */
const STEP = 4;
const SHORTEST = 500;
/** Between 4 and 16, with a margin for a busy machine. */
const MAX_GROWTH = 9;
/** Below this, compilation and garbage collection dominate the measurement. */
const NOISE_MS = 25;

const lengthsUpTo = (longest: number): number[] => {
  const lengths: number[] = [];
  for (let length = SHORTEST; length < longest; length *= STEP) lengths.push(length);
  return [...lengths, longest];
};

const THREAD_CPU = '/proc/thread-self/schedstat';
const PAUSE = new Int32Array(new SharedArrayBuffer(4));

/**
 * CPU time in ms of this thread, on Linux; elsewhere of the process. The process also runs threads of the files before this one:
 * garbage collection and models, whose time is not the parser's.
 */
function cpuMs(): number {
  // Linux counts the time of a running thread at its next interrupt: after a pause the count is exact.
  Atomics.wait(PAUSE, 0, 0, 0.01);
  if (existsSync(THREAD_CPU)) return Number.parseInt(readFileSync(THREAD_CPU, 'latin1'), 10) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function costOf({ parse }: TextParser, text: string): Promise<number> {
  const before = cpuMs();
  try {
    await parse(text);
  } catch {
    // Parsers may reject the text.
  }
  return cpuMs() - before;
}

/** Describes the first length at which the cost grows faster than linearly; undefined if there is none. */
async function findSuperLinearGrowth(
  parser: TextParser,
  worst: TextGenerator,
  longest = parser.maxLength,
): Promise<string | undefined> {
  let before = 0;
  for (const length of lengthsUpTo(longest)) {
    const text = worst(length);
    let cost = await costOf(parser, text);
    const limit = NOISE_MS + MAX_GROWTH * before;
    for (let again = 0; again < 3 && cost > limit; again++) cost = Math.min(cost, await costOf(parser, text));
    if (cost > limit) return `${length} characters: ${cost} ms, and ${before} ms for a quarter of them`;
    before = cost;
  }
  return undefined;
}

describe('The CPU time of a text parser', () => {
  it.for(PARSERS)('grows at most linearly with its input: $name', { timeout: 300_000 }, async (parser) => {
    for (const [i, worst] of (parser.specificTexts ?? []).entries()) {
      expect(await findSuperLinearGrowth(parser, worst), `specific text ${i + 1}`).toBeUndefined();
    }
    if (parser.skipsPeriodic) return;
    for (const [text, worst] of PERIODIC_TEXTS) {
      expect(await findSuperLinearGrowth(parser, worst, Math.min(parser.maxLength, 20_000)), text).toBeUndefined();
    }
  });

  it('is reported as super-linear for a quadratic expression', async () => {
    const quadratic: TextParser = { name: '', maxLength: 40_000, parse: (text) => /\s+$/.test(text) };
    expect(await findSuperLinearGrowth(quadratic, (length) => `${' '.repeat(length)}x`)).toMatch(/ms, and/);
  });
});
