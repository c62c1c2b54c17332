import { composeCharacters } from '../../../base/compose-characters.ts';

export const excelName = (document: string): string => `Passport_${baseName(document)}.xlsx`;
export const reportName = (document: string): string => `Report_${baseName(document)}.pdf`;
export const allName = (now: Date): string => `Passports_${isoDay(now)}.xlsx`;
export const sessionName = (now: Date): string => `Session_${isoDay(now)}.xlsx`;

/** A `Content-Disposition` header with an ASCII fallback (RFC 6266, RFC 8187), always one line of printable ASCII. */
export function attachment(name: string): string {
  const ascii = /^[\x20-\x7e]+$/.test(name) ? name : asciiFallback(name);
  return `attachment; filename="${ascii.replace(/["\\%]/g, '_')}"; filename*=UTF-8''${encodeExtended(name)}`;
}

/** Removes `.pdf` and characters that file systems reject. */
function baseName(document: string): string {
  const name = composeCharacters(document.replace(/\.pdf$/i, ''), 'NFC')
    .replace(/[\p{Cc}\p{Cs}\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\u2028\u2029]/gu, '')
    .replace(/[/\\:*?"<>|]/g, '_')
    .replace(/^[\s.]+|(?<![\s.])[\s.]+$/gu, '');
  // With its prefix and extension below 255 bytes in UTF-8.
  let short = '';
  for (const character of name) {
    if (Buffer.byteLength(short + character) > MAX_BYTES) break;
    short += character;
  }
  return short.trimEnd() || 'task';
}

const MAX_BYTES = 230;
const isoDay = (now: Date) => now.toISOString().slice(0, 10);

/** `Passport_план.xlsx` → `Passport_task.xlsx`. */
function asciiFallback(name: string): string {
  const [, kind = 'File', ending = ''] = /^([A-Za-z]+)_.*?(\.[A-Za-z0-9]+)$/su.exec(name) ?? [];
  return `${kind}_task${ending}`;
}

/** RFC 8187. */
const encodeExtended = (name: string) =>
  encodeURIComponent(name.replace(/\p{Cs}/gu, '')).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
