import { validateHeaderValue } from 'node:http';
import { describe, expect, it } from 'vitest';
import { allName, attachment, excelName, reportName, sessionName } from './filenames.ts';

/** Parses the header like a browser: the RFC 8187 name and the ASCII fallback. */
function saved(header: string): { name: string; ascii: string } {
  validateHeaderValue('content-disposition', header);
  const [, ascii, name] = /^attachment; filename="([^"\\]*)"; filename\*=UTF-8''([A-Za-z0-9%!#$&+.^_`|~-]*)$/.exec(
    header,
  )!;
  return { name: decodeURIComponent(name!), ascii: ascii! };
}

describe('an export file name', () => {
  it('contains the document name, also in Russian', () => {
    expect(excelName('Квартира № 31.pdf')).toBe('Passport_Квартира № 31.xlsx');
    expect(reportName('a.PDF')).toBe('Report_a.pdf');
    expect(allName(new Date('2026-11-20T23:59:00Z'))).toBe('Passports_2026-11-20.xlsx');
    expect(sessionName(new Date('2026-11-20T23:59:00Z'))).toBe('Session_2026-11-20.xlsx');
    expect(saved(attachment(excelName('Квартира № 31.pdf')))).toEqual({
      name: 'Passport_Квартира № 31.xlsx',
      ascii: 'Passport_task.xlsx',
    });
    expect(saved(attachment(reportName("it's (a) plan*.pdf")))).toEqual({
      name: "Report_it's (a) plan_.pdf",
      ascii: "Report_it's (a) plan_.pdf",
    });
  });

  it.each([
    '../../etc/passwd',
    '"; filename="evil.exe',
    'a\r\nSet-Cookie: b=c',
    '100%25.pdf',
    '\u202egpj.exe',
    '\ud800',
    '...',
    '.pdf',
    '😀'.repeat(300),
    'я'.repeat(300),
  ])('is safe for the document name %j', (name) => {
    const { name: file, ascii } = saved(attachment(excelName(name)));
    for (const text of [file, ascii]) {
      expect(text).toMatch(/^Passport_[^/\\:*?"<>|\p{Cc}\u202e]+\.xlsx$/u);
      expect(Buffer.byteLength(text)).toBeLessThan(256);
    }
  });
});
