import type { Recorded as Seen } from '../services/defectoscopy/result.ts';
import type { Recorded as Heard } from '../services/stt/result.ts';

/** What the demo shows of one service: a file of `examples/`, what is asked for it, and how its result is told. */
export interface Show {
  readonly service: string;
  readonly example: string;
  readonly contentType: string;
  readonly path: string;
  readonly body: (url: string) => object;
  /** Lines for a terminal. */
  readonly told: (result: never) => string[];
}

export const SHOWS: readonly Show[] = [
  {
    service: 'defectoscopy',
    example: 'examples/wall.jpg',
    contentType: 'image/jpeg',
    path: '/predict',
    body: (url) => ({ image_url: url }),
    told: photoLines,
  },
  {
    service: 'stt',
    example: 'examples/voice-note.mp3',
    contentType: 'audio/mpeg',
    path: '/transcribe/audio_url',
    body: (url) => ({ url }),
    told: noteLines,
  },
];

function photoLines({ surface, masters, defects }: Seen): string[] {
  const bars = (title: string, scored: Seen['masters']) =>
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

function noteLines({ segments, language = '?', duration_seconds }: Heard): string[] {
  return [
    `${duration_seconds.toFixed(1)} s of sound, language ${language}`,
    ...segments.map(({ start, text }) => `${start.toFixed(1).padStart(6)} s  ${text}`),
  ];
}
