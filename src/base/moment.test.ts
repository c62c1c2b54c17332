import { expect, it } from 'vitest';
import { isInCalendar, parseMoment } from './moment.ts';

it('parseMoment reads dates and date-times with a zone', () => {
  expect(parseMoment('2024-02-29')).toEqual({ at: new Date('2024-02-29T00:00:00Z'), wholeDay: true });
  expect(parseMoment('2024-06-30T23:59:59.5+03:00')).toEqual({
    at: new Date('2024-06-30T20:59:59.500Z'),
    wholeDay: false,
  });
});

it.each(['2024-02-30', '2023-02-29', '2024-06-31T10:00Z', '2024-13-01', '2024-00-10', '2024-01-01T25:00Z'])(
  'parseMoment rejects %s, which is not in the calendar or the day',
  (text) => expect(parseMoment(text)).toBeUndefined(),
);

it.each(['', 'soon', '2024', '2024-02', '01.02.2024', '2024-02-01T10:00', '2024-02-01 10:00Z', '2024-02-01T10Z'])(
  'parseMoment rejects the form of %j',
  (text) => expect(parseMoment(text)).toBeUndefined(),
);

it('isInCalendar compares the day with the length of the month', () => {
  expect([isInCalendar('2024-02-29T1'), isInCalendar('2100-02-29'), isInCalendar('2024-04-31')]).toEqual([
    true,
    false,
    false,
  ]);
});
