import { extname } from 'node:path';
import { OperatorError } from '../base/operator-error.ts';
import { isMediaName } from './folder/find-items.ts';
import { isFolder, openInputFile } from './local-files.ts';
import { shellQuoted } from './terminal.ts';

const CONTENT_TYPES: Readonly<Record<string, 'text/csv' | 'application/zip'>> = {
  '.csv': 'text/csv',
  '.zip': 'application/zip',
};

/** Commands that process a folder. */
const FOLDER_COMMANDS = {
  defectoscopy: ['predict', 'photos.csv'],
  stt: ['transcribe', 'texts.csv'],
  passports: ['extract', 'passports.csv'],
} as const;

const URL_COLUMNS = { defectoscopy: 'image_url', stt: 'url' } as const;

/** The file of `assay batches submit`; throws for a file that is clearly of another kind, before it is sent. */
export async function openBatchFile(path: string, service: keyof typeof FOLDER_COMMANDS) {
  const contentType = CONTENT_TYPES[extname(path).toLowerCase()];
  const isArchive = contentType === 'application/zip';
  if (await isFolder(path)) {
    const [command, output] = FOLDER_COMMANDS[service];
    throw new OperatorError(
      `${path} is a folder: use \`node scripts/assay.mjs ${command} ${shellQuoted(path)} --output ${output}\`, or submit a ZIP archive of it.`,
    );
  }
  if (isMediaName(path)) throw noList(path);
  if (service === 'passports' && !isArchive)
    throw new OperatorError(`A batch of passports must be a ZIP archive of PDFs (.zip), not ${path}.`);
  const { data, name } = await openInputFile(path);
  const head = Buffer.from(await data.slice(0, 4096).arrayBuffer());
  const other = isArchive ? otherKindOf(head) : undefined;
  if (other) throw new OperatorError(`${path} is not a ZIP archive but ${other}, despite its extension.`);
  if (!isArchive && isBinary(head)) throw noList(path);
  if (service !== 'passports' && contentType === undefined && !isJsonLines(head))
    throw new OperatorError(
      `${path} is not JSON lines, which have one {…} per line. Save a list of URLs as CSV (.csv) below the header ${URL_COLUMNS[service]}.`,
    );
  return { data, name, contentType };
}

const noList = (path: string) =>
  new OperatorError(
    `${path} is not a list of items: a batch is JSON lines, a CSV (.csv) or a ZIP archive of files (.zip).`,
  );

/** First bytes in Latin-1. */
const SIGNATURES = [
  ['\x1f\x8b', 'a gzip file (.gz, .tar.gz)'],
  ['BZh', 'a bzip2 file (.bz2)'],
  ['\xfd7zXZ\0', 'an xz file (.xz)'],
  ['\x28\xb5\x2f\xfd', 'a Zstandard file (.zst)'],
  ["7z\xbc\xaf'\x1c", 'a 7-Zip archive (.7z)'],
  ['Rar!\x1a\x07', 'a RAR archive (.rar)'],
  ['%PDF-', 'a PDF'],
] as const;

/** Undefined for other files: a ZIP archive may follow a program that extracts it, and the service checks it. */
function otherKindOf(head: Buffer): string | undefined {
  if (head.toString('latin1', 257, 262) === 'ustar') return 'a tar archive (.tar)';
  const text = head.toString('latin1', 0, 8);
  return SIGNATURES.find(([signature]) => text.startsWith(signature))?.[1];
}

/** By the first character; the service names errors further on, an empty file and UTF-16. */
const isJsonLines = (head: Buffer): boolean => /^\ufeff?\s*(?:\{|$)|^\ufffd/u.test(head.toString());

/** As an archive of another kind, or a table with the wrong name. The service names the encoding of a text in UTF-16. */
function isBinary(head: Buffer): boolean {
  if (head[0]! + head[1]! === 0xff + 0xfe) return false;
  // Bytes that text in UTF-8 has only as control characters; single ones are errors of an item.
  return head.filter((byte) => byte < 0x09 || (byte > 0x0d && byte < 0x20)).length > 0.01 * head.length;
}
