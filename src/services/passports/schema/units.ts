/** By how much a number is multiplied that stands before (or under a label with) a unit, to be in `unit`. */
export function unitFactor(unit: string | undefined, text: string): number | undefined {
  for (const [pattern, factor] of UNITS[unit ?? ''] ?? []) if (pattern.test(text)) return factor;
  return undefined;
}

// A unit is looked for right behind the number, or behind the last comma or bracket of a label.
const behind = (unit: string): RegExp => new RegExp(`(?:^|[,(])\\s*(?:${unit})(?![\\p{L}\\d])`, 'iu');
const UNITS: Readonly<Record<string, readonly [RegExp, number][]>> = {
  m2: [
    [behind('га|гектар\\p{L}*|ha|hectares?'), 10_000],
    [behind('сот\\.?|сотк\\p{L}*|соток|ар'), 100],
    [behind('кв\\.?\\s*м|м²|м2|m²|m2|sq\\.?\\s*m'), 1],
  ],
  m: [
    [behind('см|cm'), 0.01],
    [behind('мм|mm'), 0.001],
    [behind('м|m'), 1],
  ],
  rub: [
    [behind('тыс\\.?'), 1_000],
    [behind('млн\\.?'), 1_000_000],
    [behind('руб\\p{L}*'), 1],
  ],
};
