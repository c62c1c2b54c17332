import { composeCharacters } from '../../../base/compose-characters.ts';

/** File names of exports; `document` is the document's display name, `now` the day of those of many documents. */
export const excelName = (document: string): string => `Passport_${taskName(document)}.xlsx`;
export const reportName = (document: string): string => `Report_${taskName(document)}.pdf`;
export const allName = (now: Date): string => `Passports_${dayOf(now)}.xlsx`;
export const sessionName = (now: Date): string => `Session_${dayOf(now)}.xlsx`;

/**
 * The `Content-Disposition` that makes a browser save a file under this name: for old ones an ASCII name, for all others
 * the name itself (RFC 6266, RFC 8187). Whatever the name holds, the header is one line of printable ASCII.
 */
export function attachment(name: string): string {
  const ascii = /^[\x20-\x7e]+$/.test(name) ? name : fallback(name);
  return `attachment; filename="${ascii.replace(/["\\%]/g, '_')}"; filename*=UTF-8''${extended(name)}`;
}

/** Without the ending of a PDF, and without what no file system takes. */
function taskName(document: string): string {
  const name = composeCharacters(document.replace(/\.pdf$/i, ''), 'NFC')
    .replace(/[\p{Cc}\p{Cs}\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\u2028\u2029]/gu, '')
    .replace(/[/\\:*?"<>|]/g, '_')
    .replace(/^[\s.]+|(?<![\s.])[\s.]+$/gu, '');
  // With its ending below 255 bytes in UTF-8, where a Russian letter takes two.
  let short = '';
  for (const character of name) {
    if (Buffer.byteLength(short + character) > MAX_BYTES) break;
    short += character;
  }
  return short.trimEnd() || 'task';
}

const MAX_BYTES = 230;
const dayOf = (now: Date) => now.toISOString().slice(0, 10);

/** `Passport_план.xlsx` → `Passport_task.xlsx`. */
function fallback(name: string): string {
  const [, kind = 'File', ending = ''] = /^([A-Za-z]+)_.*?(\.[A-Za-z0-9]+)$/su.exec(name) ?? [];
  return `${kind}_task${ending}`;
}

/** Percent signs for all but the characters that RFC 8187 lets stand. */
const extended = (name: string) =>
  encodeURIComponent(name.replace(/\p{Cs}/gu, '')).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
