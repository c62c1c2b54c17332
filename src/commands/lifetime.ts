import { OperatorError } from '../base/operator-error.ts';

const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };
/** Longer than anybody means; what never expires is said by saying nothing. */
const A_CENTURY = 36_500 * 86_400;

/** The seconds of `90d`, `12h` or `30m`. */
export function lifetimeSecondsOf(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,6})([mhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (SECONDS[unit ?? ''] ?? Number.NaN);
  if (seconds <= A_CENTURY) return seconds;
  throw new OperatorError(`--expires is a number of days, hours or minutes like 90d, 12h or 30m, not ${text}.`);
}
