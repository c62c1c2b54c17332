import { expect, it } from 'vitest';

// scripts/ is plain JavaScript without types.
const { judge } = (await import(new URL('../../scripts/soak-trend.mjs', import.meta.url).href)) as {
  judge: (
    samples: { atS: number; values: Record<string, number> }[],
  ) => { name: string; rise: number; flat: boolean }[] | undefined;
};

const hour = (value: (atS: number) => number) =>
  Array.from({ length: 360 }, (_, i) => ({ atS: i * 10, values: { 'serve: RSS, MiB': value(i * 10) } }));

it('The soak trend is flat for series that oscillate, fall, or grow in the first half only', () => {
  expect(judge(hour((atS) => 150 + (atS % 300) / 10))).toMatchObject([{ flat: true }]);
  expect(judge(hour((atS) => 300 - atS / 30))).toMatchObject([{ flat: true }]);
  expect(judge(hour((atS) => Math.min(100 + atS / 10, 250)))).toMatchObject([{ flat: true }]);
  expect(judge(hour((atS) => (atS === 3000 ? 4000 : 150)))).toMatchObject([{ flat: true }]);
  // Memory that is released for a while and used again.
  expect(judge(hour((atS) => (atS < 1700 ? 150 : 100 + (atS - 1700) / 50)))).toMatchObject([{ flat: true }]);
});

it('The soak trend detects a leak of 40 MiB per hour in noisy data', () => {
  const [trend] = judge(hour((atS) => 150 + (atS * 40) / 3600 + (atS % 70) / 10))!;
  expect(trend).toMatchObject({ name: 'serve: RSS, MiB', flat: false });
  expect(trend!.rise).toBeGreaterThan(18);
});

it('The soak trend is undefined for short series', () => {
  expect(judge(hour(() => 1).slice(0, 6))).toBeUndefined();
});
