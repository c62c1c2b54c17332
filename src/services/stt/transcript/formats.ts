import type { Recorded } from '../result.ts';
import { type Cue, cuesOf } from './cues.ts';

/** How a transcript is written for people and players: by name, its type and how it is made. */
export const FORMATS = {
  txt: { type: 'text/plain; charset=utf-8', write: (result: Recorded) => `${result.transcription}\n` },
  srt: { type: 'application/x-subrip; charset=utf-8', write: (result: Recorded) => srt(cuesOf(result)) },
  vtt: { type: 'text/vtt; charset=utf-8', write: (result: Recorded) => vtt(cuesOf(result), result.language) },
} as const;

/** SubRip, as players agree on it: numbered cues, a comma before the milliseconds. */
export const srt = (cues: readonly Cue[]): string =>
  cues
    .map(
      ({ start, end, lines }, index) =>
        `${index + 1}\n${clock(start, ',')} --> ${clock(end, ',')}\n${lines.map(arrowless).join('\n')}\n`,
    )
    .join('\n');

/** WebVTT (W3C Candidate Recommendation, 2019): the text of a cue is markup, so its special characters are escaped. */
export function vtt(cues: readonly Cue[], language?: string): string {
  const head = language === undefined ? 'WEBVTT' : `WEBVTT\nLanguage: ${language}`;
  const body = cues.map(
    ({ start, end, lines }) => `${clock(start, '.')} --> ${clock(end, '.')}\n${lines.map(escaped).join('\n')}\n`,
  );
  return [`${head}\n`, ...body].join('\n');
}

// SubRip has no escapes: three characters that would begin another cue are written as one that looks the same.
const arrowless = (line: string) => line.replaceAll('-->', '→');

const escaped = (line: string) => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function clock(seconds: number, point: ',' | '.'): string {
  const ms = Math.round(seconds * 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const fraction = String(ms % 1000).padStart(3, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${point}${fraction}`;
}
