const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/i;

/** A date, at midnight UTC, or a date-time with a zone, in ISO 8601; undefined for other texts. */
export function parseMoment(text: string): { at: Date; wholeDay: boolean } | undefined {
  const wholeDay = DAY.test(text);
  if (!(wholeDay || MOMENT.test(text)) || !isInCalendar(text)) return undefined;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? undefined : { at, wholeDay };
}

/** Whether the month has the day of a text that begins with an ISO date: JavaScript parses 30 February as 1 March. */
export function isInCalendar(text: string): boolean {
  const [year, month, day] = text.slice(0, 10).split('-').map(Number);
  return day! <= new Date(Date.UTC(year!, month!, 0)).getUTCDate();
}
