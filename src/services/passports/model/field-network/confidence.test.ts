import { describe, expect, it } from 'vitest';
import type { Token } from '../fields/page-tokens.ts';
import { confidenceOf, type Evidence, evidenceOf } from './confidence.ts';

const token = (confidence: number | null) => ({ confidence }) as Token;
const evidence = (change: Partial<Evidence> = {}): Evidence => ({
  ...{ tokens: [token(null)], score: 0.99, lowest: 0.99, rival: 0, labels: 'none', isText: false, hasParts: false },
  ends: { beside: 0, isLast: false, bond: 6 },
  ...change,
});

describe('confidenceOf', () => {
  it('is a probability, higher for surer words', () => {
    const [low, high] = [evidence({ score: 0.4, lowest: 0.3 }), evidence()].map(confidenceOf) as [number, number];
    expect(low).toBeGreaterThan(0);
    expect(low).toBeLessThan(high);
    expect(high).toBeLessThan(1);
  });

  it('is higher if the labels agree, and lower if they differ', () => {
    const [differ, none, agree] = (['differ', 'none', 'agree'] as const).map((labels) =>
      confidenceOf(evidence({ labels })),
    );
    expect(differ).toBeLessThan(none!);
    expect(none).toBeLessThan(agree!);
  });

  it('is lower with another likely value, and with a word that OCR doubts', () => {
    expect(confidenceOf(evidence({ rival: 0.9 }))).toBeLessThan(confidenceOf(evidence()));
    const [doubtful, sure] = [0.4, 0.97].map((ocr) => confidenceOf(evidence({ tokens: [token(0.97), token(ocr)] })));
    expect(doubtful).toBeLessThan(sure!);
  });

  it('is lower for a text with a likely word beside it, and for words that hardly belong together', () => {
    const text = (ends: Partial<Evidence['ends']>) =>
      confidenceOf(evidence({ isText: true, ends: { beside: 0, isLast: false, bond: 6, ...ends } }));
    expect(text({ beside: 0.03 })).toBeLessThan(text({}));
    expect(text({ bond: 0 })).toBeLessThan(text({}));
    expect(text({ isLast: true })).toBeGreaterThan(text({}));
  });
});

it('evidenceOf compares the value with that of the labels', () => {
  const { labels: _, isText, hasParts: __, ...read } = evidence();
  const labels = (value: unknown) => evidenceOf({ ...read, value: 1978 }, { value }, { type: 'integer' }).labels;
  expect([labels(1978), labels('1978'), labels(1980)]).toEqual(['agree', 'agree', 'differ']);
  expect(evidenceOf({ ...read, value: 1978 }, undefined, { type: 'integer' })).toMatchObject({
    labels: 'none',
    isText,
  });
});
