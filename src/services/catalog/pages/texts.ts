import { localize } from '../../../ui/browser/localize.ts';
import { errorTexts, frameTexts } from './texts/frame.ts';
import { queueTexts } from './texts/queue.ts';
import { recordTexts } from './texts/record.ts';
import { reportTexts } from './texts/report.ts';
import { searchTexts } from './texts/search.ts';

export const texts = localize({
  ...frameTexts,
  ...searchTexts,
  ...recordTexts,
  ...reportTexts,
  ...queueTexts,
  ...errorTexts,
});
export type Language = keyof typeof texts;
export type Texts = (typeof texts)[Language];

/** Plural forms (one, few, many): `0`, `21 запись`, `3 записи`. */
export function formatCount(forms: readonly string[], count: number, language: Language): string {
  const form = { one: 0, few: 1 }[new Intl.PluralRules(language).select(count) as string] ?? 2;
  const number = new Intl.NumberFormat(language).format(count);
  return (forms[form] ?? '').replace('{count}', number);
}
