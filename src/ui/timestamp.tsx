import { createDateFormat } from './browser/date-format.ts';

/** In UTC, also without scripts; `browser/local-times.ts` replaces it by the local time. */
export const Timestamp = ({ at, language }: { at: Date; language: 'en' | 'ru' }): JSX.Element => (
  <time datetime={at.toISOString()} safe>
    {`${createDateFormat(language, 'UTC').format(at)} UTC`}
  </time>
);
