/** A format such as "20 Nov 2026, 12:14" in English. The default time zone is the reader's. */
export const createDateFormat = (language: string, timeZone?: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    ...(timeZone !== undefined && { timeZone }),
  });
