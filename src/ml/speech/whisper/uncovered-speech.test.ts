import { describe, expect, it } from 'vitest';
import { FRAME_SECONDS } from './silence.ts';
import { findUncoveredSpeech } from './uncovered-speech.ts';

const neverQuiet = () => false;
const segment = (start: number, end: number) => ({ start, end });

describe('findUncoveredSpeech()', () => {
  it('returns the sentence that the model omitted between two others', () => {
    const segments = [segment(0.2, 9), segment(19, 24)];
    expect(findUncoveredSpeech(segments, { from: 0, to: 24.5 }, neverQuiet)).toEqual([{ from: 9, to: 19 }]);
  });

  it('returns speech before the first and after the last segment', () => {
    const found = findUncoveredSpeech([segment(8, 12)], { from: 5, to: 20 }, neverQuiet);
    expect(found).toEqual([
      { from: 5, to: 8 },
      { from: 12, to: 20 },
    ]);
  });

  it('ignores pauses and gaps of at most 1.5 s of sound', () => {
    const quietUntil = (seconds: number) => (frame: number) => frame * FRAME_SECONDS < seconds;
    const segments = [segment(0, 5), segment(12, 20)];
    expect(findUncoveredSpeech(segments, { from: 0, to: 20 }, quietUntil(11))).toEqual([]);
    expect(findUncoveredSpeech(segments, { from: 0, to: 20 }, quietUntil(10))).toEqual([{ from: 5, to: 12 }]);
  });

  it('does not return what a longer segment covers', () => {
    const segments = [segment(4, 6), segment(0, 15)];
    expect(findUncoveredSpeech(segments, { from: 0, to: 16 }, neverQuiet)).toEqual([]);
  });
});
