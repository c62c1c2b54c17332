import type { DoneRecording, Photo, ReadDocument } from '../client/index.ts';

type Classification = NonNullable<Photo['result']>;

export function photoLines({ surface, masters, defects, warnings = [], regions = [] }: Classification): string[] {
  const bars = (title: string, scored: Classification['masters']) =>
    scored.map(({ name, conf }, i) => {
      const bar = '█'.repeat(Math.round(conf * 30)).padEnd(30, '·');
      return `${(i === 0 ? title : '').padEnd(10)} ${name.padEnd(18)} ${bar} ${(conf * 100).toFixed(1).padStart(5)} %`;
    });
  return [
    ...(warnings.includes('UNFAMILIAR_IMAGE')
      ? ['warning    unfamiliar photo: it differs from the training photos of the model']
      : []),
    `surface    ${surface}`,
    ...bars('groups', masters),
    ...bars('defects', defects),
    ...(defects.length === 0 ? ['defects    none detected'] : []),
    ...regions.map(
      ({ box, defect, confidence }) =>
        `region     ${defect.padEnd(18)} ${(confidence * 100).toFixed(1)} % at ${box.map((side) => side.toFixed(3)).join(' ')}`,
    ),
  ];
}

export function recordingLines({ result }: Pick<DoneRecording, 'result'>): string[] {
  const { transcription, segments, duration_seconds, language, unrecognized = [] } = result;
  const duration = duration_seconds === undefined ? 'Audio' : `${duration_seconds.toFixed(1)} s of audio`;
  return [
    language ? `${duration}, language ${language}` : duration,
    ...(segments ?? [{ start: 0, text: transcription }]).map(
      ({ start, text }) => `${start.toFixed(1).padStart(6)} s  ${text}`,
    ),
    ...unrecognized.map(
      ({ start, end }) => `warning    speech from ${start.toFixed(1)} to ${end.toFixed(1)} s could not be recognized`,
    ),
    ...(transcription === '' && unrecognized.length === 0 ? ['No speech was detected.'] : []),
  ];
}

export function documentLines({ fields }: Pick<ReadDocument, 'fields'>, limit = Number.POSITIVE_INFINITY): string[] {
  const found = Object.entries(fields).filter(([, { value }]) => value !== null);
  const single = found.filter(([key]) => !/:\d+\./.test(key));
  const more = [
    ...(Number.isFinite(limit) ? [`${Math.max(0, single.length - limit)} more values`] : []),
    ...(found.length > single.length || Number.isFinite(limit) ? [`${found.length - single.length} table cells`] : []),
  ];
  const shown = single.slice(0, limit);
  const width = Math.max(24, ...shown.map(([, { label }]) => label.length));
  return [
    ...shown.map(([, { label, value, confidence }]) => {
      const percent = confidence === null ? '' : `${Math.floor(confidence * 100)} %`;
      return `${label.padEnd(width)} ${String(value).padEnd(60)} ${percent.padStart(5)}`;
    }),
    ...(more.length > 0 ? [`… and ${more.join(', ')}`] : []),
  ];
}
