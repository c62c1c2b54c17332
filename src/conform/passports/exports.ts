import type { Check, RunContext } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { assertErrorStatus, assertLooseErrorEnvelope, assertStatus, assertThat } from '../expect.ts';
import { renameDocument } from './rename.ts';
import { extracted, UNKNOWN_ID, withSession } from './steps.ts';

interface Format {
  readonly name: 'excel' | 'pdf';
  readonly words: string;
  readonly fileName: (task: string) => string;
  readonly hasFormat: (bytes: Buffer) => boolean;
}

const FORMATS: readonly Format[] = [
  {
    name: 'excel',
    words: 'file name `Passport_<task name>.xlsx`',
    fileName: (task) => `Passport_${task}.xlsx`,
    hasFormat: (bytes) => bytes.subarray(0, 2).toString() === 'PK' && bytes.includes('xl/workbook.xml'),
  },
  {
    name: 'pdf',
    words: 'file name `Report_<task name>.pdf`',
    fileName: (task) => `Report_${task}.pdf`,
    hasFormat: (bytes) => bytes.subarray(0, 5).toString() === '%PDF-',
  },
];

async function requestExport(context: RunContext, id: string, format: string) {
  const accept = id === UNKNOWN_ID ? 'application/json' : '*/*';
  return context.probe.get(`/export/${id}/${format}`, { ...(await withSession(context)), headers: { accept } });
}

export const exportChecks: readonly Check[] = FORMATS.flatMap(({ name, words, fileName, hasFormat }): Check[] => [
  {
    id: `passports.export.${name}.file`,
    cites: [
      '4.3',
      name === 'excel'
        ? 'returns one Excel file with all fields of the task'
        : 'returns a printable PDF report of one task',
    ],
    title: `GET /export/{task_id}/${name} returns a file of this format`,
    run: async (context) => {
      const response = await requestExport(context, await extracted(context), name);
      assertStatus(response, 200);
      assertThat(
        response,
        hasFormat(response.bytes),
        name === 'excel' ? 'the bytes of an Excel workbook' : 'the bytes of a PDF',
      );
    },
  },
  ...[
    ['plain', 'house'],
    ['any-script', 'дом №7'],
  ].map(
    ([kind, word]): Check => ({
      id: `passports.export.${name}.name-${kind}`,
      cites: ['4.3', words],
      title: `the ${name} file name is ${fileName('<task name>')} for a name like ${word}`,
      run: async (context) => {
        const id = await extracted(context);
        const task = `${word}-${context.nonce}`;
        await renameDocument(context, task);
        const response = await requestExport(context, id, name);
        assertStatus(response, 200);
        assertThat(
          response,
          fileNameOf(response) === fileName(task),
          `the file name ${fileName(task)} in Content-Disposition`,
        );
      },
    }),
  ),
  {
    id: `passports.export.${name}.unknown`,
    cites: ['4.3', 'Errors: unauthorized or token expired; task not found; validation error.'],
    title: `GET /export/{task_id}/${name} returns an error for an unknown task`,
    run: async (context) => {
      const response = await requestExport(context, UNKNOWN_ID, name);
      assertErrorStatus(response);
      assertLooseErrorEnvelope(response);
    },
  },
]);

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
