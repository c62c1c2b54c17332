function build(language: string) {
  const percent = (digits: number) =>
    new Intl.NumberFormat(language, {
      style: 'percent',
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
  const unit = (name: string, digits: number) =>
    new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: digits });
  const whole = new Intl.NumberFormat(language);
  const ungrouped = new Intl.NumberFormat(language, { useGrouping: false, maximumFractionDigits: 20 });
  const [exact, rough] = [percent(1), percent(0)];
  const [milliseconds, tenths, seconds] = [unit('millisecond', 0), unit('second', 1), unit('second', 0)];
  const exactSeconds = new Intl.NumberFormat(language, {
    ...{ style: 'unit', unit: 'second', unitDisplay: 'short', minimumFractionDigits: 2, maximumFractionDigits: 2 },
  });
  const [minutes, hours] = [unit('minute', 0), unit('hour', 1)];
  const [megabytes, gigabytes] = [unit('megabyte', 1), unit('gigabyte', 1)];
  return {
    count: (value: number) => whole.format(value),
    /** With at most three decimals. */
    decimal: (value: number) => whole.format(value),
    /** With all decimals, and without separators of thousands because the number can be a year. Forms accept it. */
    value: (value: number) => ungrouped.format(value),
    // Values below 1 never round up to 100 %.
    share: (value: number) => exact.format(value < 1 ? Math.min(value, 0.999) : value),
    wholeShare: (value: number) => rough.format(value < 1 ? Math.min(value, 0.99) : value),
    size: (bytes: number) => (bytes < 2 ** 30 ? megabytes.format(bytes / 2 ** 20) : gigabytes.format(bytes / 2 ** 30)),
    seconds: (ms: number) => exactSeconds.format(ms / 1000),
    /** With a unit that fits the duration. */
    duration: (ms: number) => {
      if (ms < 1000) return milliseconds.format(Math.max(1, Math.round(ms)));
      if (ms < 10_000) return tenths.format(ms / 1000);
      if (ms < 120_000) return seconds.format(Math.floor(ms / 1000));
      if (ms < 7_200_000) return minutes.format(Math.round(ms / 60_000));
      return hours.format(ms / 3_600_000);
    },
  };
}
export type NumberFormats = ReturnType<typeof build>;

const created = new Map<string, NumberFormats>();

/** Numbers as a page of the language shows them; the same object for the same language. */
export function createNumberFormats(language: string): NumberFormats {
  const formats = created.get(language) ?? build(language);
  created.set(language, formats);
  return formats;
}
