import { expect, it } from 'vitest';

// scripts/ is plain JavaScript; what it promises is written there.
const { judge } = (await import(new URL('../scripts/soak-flat.mjs', import.meta.url).href)) as {
  judge: (
    samples: { atS: number; values: Record<string, number> }[],
  ) => { name: string; rise: number; flat: boolean }[] | undefined;
};

const hour = (value: (atS: number) => number) =>
  Array.from({ length: 360 }, (_, i) => ({ atS: i * 10, values: { 'serve: RSS, MiB': value(i * 10) } }));

it('calls a series flat that saws to and fro, falls, or has grown in the first half only', () => {
  expect(judge(hour((atS) => 150 + (atS % 300) / 10))).toMatchObject([{ flat: true }]);
  expect(judge(hour((atS) => 300 - atS / 30))).toMatchObject([{ flat: true }]);
  expect(judge(hour((atS) => Math.min(100 + atS / 10, 250)))).toMatchObject([{ flat: true }]);
  expect(judge(hour((atS) => (atS === 3000 ? 4000 : 150)))).toMatchObject([{ flat: true }]);
  // Memory given back for a while and taken again.
  expect(judge(hour((atS) => (atS < 1700 ? 150 : 100 + (atS - 1700) / 50)))).toMatchObject([{ flat: true }]);
});

it('finds a leak of 40 MiB an hour under noise', () => {
  const [verdict] = judge(hour((atS) => 150 + (atS * 40) / 3600 + (atS % 70) / 10))!;
  expect(verdict).toMatchObject({ name: 'serve: RSS, MiB', flat: false });
  expect(verdict!.rise).toBeGreaterThan(18);
});

it('gives no verdict on what is too short', () => {
  expect(judge(hour(() => 1).slice(0, 6))).toBeUndefined();
});
