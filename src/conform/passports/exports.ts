import type { Check, Visit } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { holds, looseEnvelope, refused, status } from '../expect.ts';
import { named } from './rename.ts';
import { asOwner, extracted, NOBODYS } from './steps.ts';

interface Format {
  readonly name: 'excel' | 'pdf';
  readonly words: string;
  readonly fileName: (task: string) => string;
  readonly isOne: (bytes: Buffer) => boolean;
}

const FORMATS: readonly Format[] = [
  {
    name: 'excel',
    words: 'file name `Passport_<task name>.xlsx`',
    fileName: (task) => `Passport_${task}.xlsx`,
    // A zip, and in its directory the part that makes it a workbook.
    isOne: (bytes) => bytes.subarray(0, 2).toString() === 'PK' && bytes.includes('xl/workbook.xml'),
  },
  {
    name: 'pdf',
    words: 'file name `Report_<task name>.pdf`',
    fileName: (task) => `Report_${task}.pdf`,
    isOne: (bytes) => bytes.subarray(0, 5).toString() === '%PDF-',
  },
];

async function exported(visit: Visit, id: string, format: string) {
  const accept = id === NOBODYS ? 'application/json' : '*/*';
  return visit.probe.get(`/export/${id}/${format}`, { ...(await asOwner(visit)), headers: { accept } });
}

/** One task as a file. */
export const exportChecks: readonly Check[] = FORMATS.flatMap(({ name, words, fileName, isOne }): Check[] => [
  {
    id: `passports.export.${name}.file`,
    cites: [
      '4.3',
      name === 'excel'
        ? 'returns one Excel file with all fields of the task'
        : 'returns a printable PDF report of one task',
    ],
    title: `GET /export/{task_id}/${name} answers such a file`,
    run: async (visit) => {
      const answer = await exported(visit, await extracted(visit), name);
      status(answer, 200);
      holds(answer, isOne(answer.bytes), name === 'excel' ? 'the bytes of an Excel workbook' : 'the bytes of a PDF');
    },
  },
  ...[
    ['plain', 'house'],
    ['any-script', 'дом №7'],
  ].map(
    ([kind, word]): Check => ({
      id: `passports.export.${name}.name-${kind}`,
      cites: ['4.3', words],
      title: `its name is ${fileName('<task name>')}, also for a name like ${word}`,
      run: async (visit) => {
        const id = await extracted(visit);
        const task = `${word}-${visit.nonce}`;
        await named(visit, task);
        const answer = await exported(visit, id, name);
        status(answer, 200);
        holds(answer, fileNameOf(answer) === fileName(task), `the file name ${fileName(task)} in Content-Disposition`);
      },
    }),
  ),
  {
    id: `passports.export.${name}.unknown`,
    cites: ['4.3', 'Errors: unauthorized or token expired; task not found; validation error.'],
    title: `an unknown task has no ${name} file`,
    run: async (visit) => {
      const answer = await exported(visit, NOBODYS, name);
      refused(answer);
      looseEnvelope(answer);
    },
  },
]);

/** The name that a client would use (RFC 6266): `filename*` where there is one, as UTF-8, else `filename`. */
function fileNameOf({ headers }: Exchange): string | undefined {
  const given = headers.get('content-disposition') ?? '';
  const extended = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(given)?.[1];
  if (extended !== undefined) return decodedOr(extended);
  const [, quoted, word] = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(given) ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? word;
}

function decodedOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
