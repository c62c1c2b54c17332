import type { Check, RunContext } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { checks, expect, expecting, rejection, rows, status, that } from '../expect.ts';
import { renameDocument } from './rename.ts';
import { extracted, UNKNOWN_ID, withSession } from './steps.ts';

const FORMATS = [
  {
    name: 'excel',
    returns: 'returns one Excel file with all fields of the task',
    file: 'an Excel workbook',
    words: 'file name `Passport_<task name>.xlsx`',
    fileName: (task: string) => `Passport_${task}.xlsx`,
    hasFormat: (bytes: Buffer) => bytes.subarray(0, 2).toString() === 'PK' && bytes.includes('xl/workbook.xml'),
  },
  {
    name: 'pdf',
    returns: 'returns a printable PDF report of one task',
    file: 'a PDF',
    words: 'file name `Report_<task name>.pdf`',
    fileName: (task: string) => `Report_${task}.pdf`,
    hasFormat: (bytes: Buffer) => bytes.subarray(0, 5).toString() === '%PDF-',
  },
];

async function requestExport(context: RunContext, id: string, format: string) {
  const accept = id === UNKNOWN_ID ? 'application/json' : '*/*';
  return context.probe.get(`/export/${id}/${format}`, { ...(await withSession(context)), headers: { accept } });
}

const NAMES = [
  ['plain', 'house'],
  ['any-script', 'дом №7'],
] as const;

export const exportChecks: readonly Check[] = FORMATS.flatMap(({ name, returns, words, file, fileName, hasFormat }) =>
  checks(`passports.export.${name}`, [
    [
      'file',
      ['4.3', returns],
      `GET /export/{task_id}/${name} returns a file of this format`,
      expecting(
        async (context) => requestExport(context, await extracted(context), name),
        status(200),
        that(({ bytes }) => hasFormat(bytes), `the bytes of ${file}`),
      ),
    ],
    ...rows(NAMES, ([kind, word]) => [
      `name-${kind}`,
      ['4.3', words],
      `the ${name} file name is ${fileName('<task name>')} for a name like ${word}`,
      async (context: RunContext) => {
        const id = await extracted(context);
        const task = `${word}-${context.nonce}`;
        await renameDocument(context, task);
        const isNamed = (response: Exchange) => fileNameOf(response) === fileName(task);
        const expected = that(isNamed, `the file name ${fileName(task)} in Content-Disposition`);
        expect(await requestExport(context, id, name), status(200), expected);
      },
    ]),
    [
      'unknown',
      ['4.3', 'Errors: unauthorized or token expired; task not found; validation error.'],
      `GET /export/{task_id}/${name} returns an error for an unknown task`,
      expecting((context) => requestExport(context, UNKNOWN_ID, name), rejection),
    ],
  ]),
);

/** File name as a client reads it (RFC 6266): `filename*`, else `filename`. */
function fileNameOf({ headers }: Exchange): string | undefined {
  const header = headers.get('content-disposition') ?? '';
  const extended = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header)?.[1];
  if (extended !== undefined) return decodedOr(extended);
  const [, quoted, word] = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header) ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? word;
}

function decodedOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
