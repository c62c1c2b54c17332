import type { Recorded } from '../result.ts';
import { type Cue, createCues } from './cues.ts';

export const FORMATS = {
  txt: { type: 'text/plain; charset=utf-8', write: (result: Recorded) => `${result.transcription}\n` },
  srt: { type: 'application/x-subrip; charset=utf-8', write: (result: Recorded) => srt(createCues(result)) },
  vtt: { type: 'text/vtt; charset=utf-8', write: (result: Recorded) => vtt(createCues(result), result.language) },
} as const;

/** SubRip: numbered cues, comma before the milliseconds. */
export const srt = (cues: readonly Cue[]): string =>
  cues
    .map(
      ({ start, end, lines }, index) =>
        `${index + 1}\n${clock(start, ',')} --> ${clock(end, ',')}\n${lines.map(withoutSeparator).join('\n')}\n`,
    )
    .join('\n');

/** WebVTT (W3C Candidate Recommendation, 2019): cue text is markup and is escaped. */
export function vtt(cues: readonly Cue[], language?: string): string {
  const head = language === undefined ? 'WEBVTT' : `WEBVTT\nLanguage: ${language}`;
  const body = cues.map(
    ({ start, end, lines }) => `${clock(start, '.')} --> ${clock(end, '.')}\n${lines.map(escaped).join('\n')}\n`,
  );
  return [`${head}\n`, ...body].join('\n');
}

// SubRip has no escapes: the cue separator is replaced by an arrow.
const withoutSeparator = (line: string) => line.replaceAll('-->', '→');

const escaped = (line: string) => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function clock(seconds: number, point: ',' | '.'): string {
  const ms = Math.round(seconds * 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const fraction = String(ms % 1000).padStart(3, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${point}${fraction}`;
}
