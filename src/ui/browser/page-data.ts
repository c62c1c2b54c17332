import type { PageData } from '../texts.ts';
import { byId } from './dom.ts';

/** What the server handed to this page's script. */
export const pageData = <Own>(): PageData<Own> => JSON.parse(byId('page-data').textContent ?? '') as PageData<Own>;

/** How numbers are written in the reader's language. */
export function numbers(language: string) {
  const share = new Intl.NumberFormat(language, {
    style: 'percent',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  const whole = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });
  const unit = (name: string, digits: number) =>
    new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: digits });
  const [second, tenth, minute, mebi] = [unit('second', 0), unit('second', 1), unit('minute', 0), unit('megabyte', 1)];
  return {
    share: (value: number) => share.format(value),
    wholeShare: (value: number) => whole.format(value),
    megabytes: (bytes: number) => mebi.format(bytes / 1_048_576),
    /** A tenth matters for what is over in a moment, and for nothing that takes minutes. */
    duration: (ms: number) => {
      const seconds = ms / 1000;
      if (seconds < 10) return tenth.format(seconds);
      if (seconds < 120) return second.format(Math.floor(seconds));
      return minute.format(Math.round(seconds / 60));
    },
  };
}
export type Numbers = ReturnType<typeof numbers>;
