/** The factor from the unit in `text` (after a number, or in a label) to `unit`. */
export function unitFactor(unit: string | undefined, text: string): number | undefined {
  for (const [pattern, factor] of UNITS[unit ?? ''] ?? []) if (pattern.test(text)) return factor;
  return undefined;
}

/** The units of a value in two parts: `руб.` and `коп.`, `м` and `см`. Both patterns match at the start of a text. */
export const PARTS: Readonly<Record<string, readonly [major: RegExp, minor: RegExp]>> = {
  rub: [
    /^\s*(?:руб\p{L}*|р(?!\p{L})|₽|rub|[€£$]|(?:us )?dollars?|pounds?(?: sterling)?|euros?|rou?bles?)[\s.,–-]{0,5}/iu,
    /^\s*(?:коп\p{L}*|к|kopecks?|kopeks?|cents?|pence|penny)(?!\p{L})\.?/iu,
  ],
  m: [/^\s*(?:м|метр\p{L}*|m|met(?:re|er)s?)(?!\p{L})[\s.,]{0,5}/iu, /^\s*(?:см|сантиметр\p{L}*|cm)(?!\p{L})\.?/iu],
};

// A unit follows the number directly, or the last comma or bracket of a label.
// eslint-disable-next-line no-restricted-syntax -- composed of constants; a test bounds the time for 10,000 characters
const unit = (words: string): RegExp => new RegExp(`(?:^|[,(])\\s*(?:${words})(?![\\p{L}\\d])`, 'iu');

const UNITS: Readonly<Record<string, readonly [RegExp, number][]>> = {
  m2: [
    [unit('га|гектар\\p{L}*|ha|hectares?'), 10_000],
    [unit('сот\\.?|сотк\\p{L}*|соток|ар'), 100],
    [unit('(?:кв\\.?|квадратн\\p{L}*)\\s*м\\p{L}*|м\\.?\\s?кв|м²|м2|m²|m2|sq\\.?\\s*m'), 1],
  ],
  m: [
    [unit('см|cm|сантиметр\\p{L}*'), 0.01],
    [unit('мм|mm'), 0.001],
    [unit('м|m|метр\\p{L}*|met(?:re|er)s?'), 1],
  ],
  rub: [
    [unit('тыс\\p{L}*\\.?|т\\.?\\s?р(?:уб\\p{L}*)?|thousands?'), 1_000],
    [unit('млн\\.?|миллион\\p{L}*|millions?'), 1_000_000],
    [unit('руб\\p{L}*|р|rou?bles?|rub|(?:us )?dollars?|pounds?(?: sterling)?|euros?|usd|gbp|eur'), 1],
    [/^\s*[₽€£$]/u, 1],
  ],
  percent: [
    [/^\s*%/u, 1],
    [unit('проц\\p{L}*|per\\s?cent|p\\.c'), 1],
  ],
};
