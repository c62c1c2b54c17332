import { crc32, inflateRawSync } from 'node:zlib';

/** The files of a ZIP archive, after checking their CRC. */
export function unzipped(archive: Buffer): Map<string, string> {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const files = new Map<string, string>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [crc, packed, size] = [16, 20, 24].map((offset) => archive.readUInt32LE(at + offset));
    const named = archive.readUInt16LE(at + 28);
    const local = archive.readUInt32LE(at + 42);
    const from = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const content = inflateRawSync(archive.subarray(from, from + packed!));
    if (content.length !== size || crc32(content) !== crc) throw new Error('The archive is broken.');
    files.set(archive.toString('utf8', at + 46, at + 46 + named), content.toString('utf8'));
    at += 46 + named + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return files;
}

/** Rows of each sheet by name; cells as `text:…`, `number:…` or `date:…`. */
export function sheetsOf(archive: Buffer): Map<string, string[][]> {
  const files = unzipped(archive);
  const sheets = new Map<string, string[][]>();
  const names = [...files.get('xl/workbook.xml')!.matchAll(/<sheet name="([^"]*)" sheetId="(\d+)"/g)];
  for (const [, name, id] of names) {
    const rows = [...files.get(`xl/worksheets/sheet${id}.xml`)!.matchAll(/<row r="\d+">(.*?)<\/row>/gs)];
    sheets.set(
      unescapeXml(name!),
      rows.map(([, cells]) => cellsOf(cells!)),
    );
  }
  return sheets;
}

/** Missing cells are empty strings. */
function cellsOf(row: string): string[] {
  const cells: string[] = [];
  for (const [, letters, attributes, content] of row.matchAll(/<c r="([A-Z]+)\d+"([^>]*)>(.*?)<\/c>/gs)) {
    const at = [...letters!].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
    while (cells.length < at) cells.push('');
    cells[at] = cellOf(attributes!, content!);
  }
  return cells;
}

function cellOf(attributes: string, content: string): string {
  if (content.includes('<f')) return `formula:${content}`;
  if (attributes.includes('inlineStr')) return `text:${unescapeXml(/<t[^>]*>(.*)<\/t>/s.exec(content)![1]!)}`;
  const value = /<v>(.*)<\/v>/.exec(content)![1]!;
  if (attributes.includes('t="b"')) return `boolean:${value}`;
  if (!/s="[23]"/.test(attributes)) return `number:${value}`;
  return `date:${new Date(Math.round((Number(value) - 25_569) * 86_400) * 1000).toISOString().replace('T00:00:00.000Z', '')}`;
}

const unescapeXml = (xml: string) =>
  xml
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&');
