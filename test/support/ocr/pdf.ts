import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A page of a generated PDF. */
export interface TestPage {
  readonly content: string;
  /** Additional entries of the page dictionary: `/Rotate 90`. */
  readonly entries?: string;
  /** Additional resources: `/XObject << /Im 20 0 R >>`. */
  readonly resources?: string;
  /** Additional fonts: `/F2 1000 0 R`. */
  readonly fonts?: string;
  readonly size?: readonly [width: number, height: number];
}

/** An additional object; use numbers from 1000. */
export interface TestObject {
  readonly number: number;
  readonly body: string | Buffer;
  /** If set, the object is a stream of the bytes `body`. */
  readonly dictionary?: string;
}

/** Generates a PDF. The font `F1` is Helvetica. */
export function createTestPdf(pages: readonly TestPage[], objects: readonly TestObject[] = []): Buffer {
  const kids = pages.map((_, index) => `${10 + 2 * index} 0 R`).join(' ');
  const all: TestObject[] = [
    { number: 1, body: '<< /Type /Catalog /Pages 2 0 R >>' },
    { number: 2, body: `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>` },
    { number: 3, body: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>' },
    ...pages.flatMap(
      ({ content, entries = '', resources = '', fonts = '', size: [width, height] = [600, 800] }, index) => [
        {
          number: 10 + 2 * index,
          body:
            `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents ${11 + 2 * index} 0 R ` +
            `/Resources << /Font << /F1 3 0 R ${fonts} >> ${resources} >> ${entries} >>`,
        },
        { number: 11 + 2 * index, body: content, dictionary: '' },
      ],
    ),
    ...objects,
  ];
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets = new Map<number, number>();
  let length = parts[0]!.length;
  const add = (part: string | Buffer) => {
    const bytes = Buffer.isBuffer(part) ? part : Buffer.from(part, 'latin1');
    parts.push(bytes);
    length += bytes.length;
  };
  for (const { number, body, dictionary } of all) {
    offsets.set(number, length);
    add(`${number} 0 obj\n`);
    if (dictionary === undefined) add(body);
    else {
      add(`<< /Length ${body.length} ${dictionary} >>\nstream\n`);
      add(body);
      add('\nendstream');
    }
    add('\nendobj\n');
  }
  const table = length;
  add('xref\n0 1\n0000000000 65535 f \n');
  for (const [number, at] of offsets) add(`${number} 1\n${String(at).padStart(10, '0')} 00000 n \n`);
  add(`trailer\n<< /Size ${Math.max(...offsets.keys()) + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`);
  return Buffer.concat(parts);
}

/** Writes a temporary file, deleted after the test. */
export async function writeTempPdf(bytes: Uint8Array): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-pdf-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, `${randomUUID()}.pdf`);
  await writeFile(path, bytes);
  return path;
}
