import { createRequire } from 'node:module';
import pdfmake, { type Content } from 'pdfmake';
import { serveRequests } from '../../../base/thread-requests.ts';
import { fill } from '../../../ui/browser/fill.ts';
import type { Report } from './report.ts';
import { reportLabels } from './report-labels.ts';
import { clean, fieldTable, GREY, rowTable } from './report-tables.ts';

// Printing thousands of rows blocks the thread for seconds. The answer is a copy with its own buffer, to transfer it.
serveRequests(
  async (report: Report) => new Uint8Array(await printReport(report)),
  (pdf) => [pdf.buffer],
);

/** Values have the format of the API. */
function printReport(report: Report): Promise<Buffer> {
  const { title, language, now, pages, parts } = report;
  const labels = reportLabels[language];
  const name = clean(report.name);
  const day = now.toISOString().slice(0, 10);
  return pdfmake
    .createPdf({
      info: { title: name, creationDate: now },
      pageSize: 'A4',
      pageMargins: [40, 56, 40, 52],
      language,
      defaultStyle: { font: FONT, fontSize: 10 },
      header: { text: truncate(name), margin: [40, 26, 40, 0], fontSize: 8, color: GREY },
      footer: (page: number, count: number) => ({
        margin: [40, 14, 40, 0],
        fontSize: 8,
        color: GREY,
        columns: [
          { text: fill(labels.printed, { day }) },
          { text: fill(labels.pageOf, { page, pages: count }), alignment: 'right' },
        ],
      }),
      content: [
        { text: clean(title ?? labels.title), fontSize: 18, bold: true },
        { text: name, fontSize: 12, margin: [0, 2, 0, 0] },
        { text: fill(labels.document, { pages }), color: GREY, margin: [0, 2, 0, 0] },
        ...parts.flatMap(({ title, fields, table }): Content[] => [
          ...(fields.length > 0 ? [fieldTable(title, fields, labels)] : []),
          ...(table ? rowTable(title, table, labels) : []),
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
// No access to URLs and files except the fonts.
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy((path) => path === FONTS.normal || path === FONTS.bold);

const truncate = (name: string) => ([...name].length <= 100 ? name : `${[...name].slice(0, 99).join('')}…`);
