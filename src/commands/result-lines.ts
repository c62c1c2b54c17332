import type { DoneRecording, Photo, ReadDocument } from '../client/index.ts';

/** What people read of a result, line by line; the demo and the commands show the same. */

type Classification = NonNullable<Photo['result']>;

export function photoLines({ surface, masters, defects }: Classification): string[] {
  const bars = (title: string, scored: Classification['masters']) =>
    scored.map(({ name, conf }, i) => {
      const bar = '█'.repeat(Math.round(conf * 30)).padEnd(30, '·');
      return `${(i === 0 ? title : '').padEnd(10)} ${name.padEnd(18)} ${bar} ${(conf * 100).toFixed(1).padStart(5)} %`;
    });
  return [
    `surface    ${surface}`,
    ...bars('groups', masters),
    ...bars('defects', defects),
    ...(defects.length === 0 ? ['defects    none: the surface looks sound'] : []),
  ];
}

export function recordingLines({ result }: Pick<DoneRecording, 'result'>): string[] {
  const { transcription, segments, duration_seconds, language = '?' } = result;
  const heard = duration_seconds === undefined ? 'Sound' : `${duration_seconds.toFixed(1)} s of sound`;
  return [
    `${heard}, language ${language}`,
    ...(segments ?? [{ start: 0, text: transcription }]).map(
      ({ start, text }) => `${start.toFixed(1).padStart(6)} s  ${text}`,
    ),
    ...(transcription === '' ? ['No speech was found.'] : []),
  ];
}

/** `most`: so many single values are shown, and the others counted; absent: all of them. */
export function documentLines({ fields }: Pick<ReadDocument, 'fields'>, most = Number.POSITIVE_INFINITY): string[] {
  const found = Object.entries(fields).filter(([, { value }]) => value !== null);
  const single = found.filter(([key]) => !/:\d+\./.test(key));
  const more = [
    ...(Number.isFinite(most) ? [`${Math.max(0, single.length - most)} more values`] : []),
    ...(found.length > single.length || Number.isFinite(most)
      ? [`${found.length - single.length} cells of tables`]
      : []),
  ];
  return [
    ...single.slice(0, most).map(([, { label, value, confidence }]) => {
      const sure = confidence === null ? '' : `${Math.floor(confidence * 100)} %`;
      return `${label.padEnd(24)} ${String(value).slice(0, 60).padEnd(60)} ${sure.padStart(5)}`;
    }),
    ...(more.length > 0 ? [`… ${more.join(', and ')}`] : []),
  ];
}
