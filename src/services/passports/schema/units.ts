/** The factor from the unit in `text` (after a number, or in a label) to `unit`. */
export function unitFactor(unit: string | undefined, text: string): number | undefined {
  for (const [pattern, factor] of UNITS[unit ?? ''] ?? []) if (pattern.test(text)) return factor;
  return undefined;
}

// A unit follows the number directly, or the last comma or bracket of a label.
const UNITS: Readonly<Record<string, readonly [RegExp, number][]>> = {
  m2: [
    [/(?:^|[,(])\s*(?:га|гектар\p{L}*|ha|hectares?)(?![\p{L}\d])/iu, 10_000],
    [/(?:^|[,(])\s*(?:сот\.?|сотк\p{L}*|соток|ар)(?![\p{L}\d])/iu, 100],
    [/(?:^|[,(])\s*(?:кв\.?\s*м|м²|м2|m²|m2|sq\.?\s*m)(?![\p{L}\d])/iu, 1],
  ],
  m: [
    [/(?:^|[,(])\s*(?:см|cm)(?![\p{L}\d])/iu, 0.01],
    [/(?:^|[,(])\s*(?:мм|mm)(?![\p{L}\d])/iu, 0.001],
    [/(?:^|[,(])\s*(?:м|m)(?![\p{L}\d])/iu, 1],
  ],
  rub: [
    [/(?:^|[,(])\s*(?:тыс\.?)(?![\p{L}\d])/iu, 1_000],
    [/(?:^|[,(])\s*(?:млн\.?)(?![\p{L}\d])/iu, 1_000_000],
    [/(?:^|[,(])\s*(?:руб\p{L}*)(?![\p{L}\d])/iu, 1],
  ],
};
