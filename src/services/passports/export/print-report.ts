import { createRequire } from 'node:module';
import pdfmake, { type Content } from 'pdfmake';
import type { Report } from './report.ts';
import { clean, fieldTable, GREY, rowTable } from './report-tables.ts';
import { REPORT_WORDS } from './report-words.ts';

/**
 * The bytes of a printable PDF of a document: its name, a table of its fields for each section with a strip of the page
 * where each value was read, its tables as tables, and on each page the name, the number of the page and the day. Values
 * are printed as the API gives them (numbers with a point, days as YYYY-MM-DD), in a font that has Cyrillic letters.
 * It computes for as long as it takes, seconds for thousands of rows.
 */
export function printReport(report: Report): Promise<Buffer> {
  const { language, now, pages, parts } = report;
  const words = REPORT_WORDS[language];
  const name = clean(report.name);
  const day = now.toISOString().slice(0, 10);
  return pdfmake
    .createPdf({
      info: { title: name, creationDate: now },
      pageSize: 'A4',
      pageMargins: [40, 56, 40, 52],
      language,
      defaultStyle: { font: FONT, fontSize: 10 },
      header: { text: shortened(name), margin: [40, 26, 40, 0], fontSize: 8, color: GREY },
      footer: (current: number, all: number) => ({
        margin: [40, 14, 40, 0],
        fontSize: 8,
        color: GREY,
        columns: [{ text: words.printed(day) }, { text: words.pageOf(current, all), alignment: 'right' }],
      }),
      content: [
        { text: words.title, fontSize: 18, bold: true },
        { text: name, fontSize: 12, margin: [0, 2, 0, 0] },
        { text: words.document(pages), color: GREY, margin: [0, 2, 0, 0] },
        ...parts.flatMap(({ title, fields, table }): Content[] => [
          ...(fields.length > 0 ? [fieldTable(title, fields, words)] : []),
          ...(table ? rowTable(title, table, words) : []),
        ]),
      ],
    })
    .getBuffer();
}

const FONT = 'PT Sans';
const require = createRequire(import.meta.url);
const FONTS = {
  normal: require.resolve('@expo-google-fonts/pt-sans/400Regular/PTSans_400Regular.ttf'),
  bold: require.resolve('@expo-google-fonts/pt-sans/700Bold/PTSans_700Bold.ttf'),
};
pdfmake.setFonts({ [FONT]: FONTS });
// A document names no pictures and no files that are not given here.
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy((path) => path === FONTS.normal || path === FONTS.bold);

const shortened = (name: string) => ([...name].length <= 100 ? name : `${[...name].slice(0, 99).join('')}…`);
