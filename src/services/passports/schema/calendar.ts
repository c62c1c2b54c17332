/** The ISO date, or undefined if the calendar has no such day. */
export function isoDate(year: number, month: number | undefined, day: number): string | undefined {
  if (month === undefined || year < 1500 || year > 2200) return undefined;
  const date = new Date(Date.UTC(year, month - 1, day));
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.toISOString().slice(0, 10) : undefined;
}

/** The year that `written` (`1987`, `19 87` or `87`) means: one of two digits is in the hundred years before `thisYear` + 1. */
export function fullYear(written: string, thisYear: number): number {
  const year = Number(written.replace(/\s/gu, ''));
  if (year >= 100) return year;
  const century = Math.floor(thisYear / 100) * 100;
  return century + year > thisYear + 1 ? century - 100 + year : century + year;
}
