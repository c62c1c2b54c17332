import { createDateFormat } from './date-format.ts';

/** Shows the `<time>` elements in `place` in the time zone of the browser. */
export function showLocalTimes(place: ParentNode): void {
  const dates = createDateFormat(document.documentElement.lang);
  for (const time of place.querySelectorAll('time')) time.textContent = dates.format(new Date(time.dateTime));
}
