export interface NamedFile {
  /** The path in the archive. */
  readonly name: string;
  readonly file: File;
}

const MAX_BYTES = 0xffffffff;
const UTF8_NAMES = 0x800;

/**
 * A ZIP archive of uncompressed files. It refers to the files and does not hold their bytes in memory. At most 65 535
 * files. Undefined above 4 GiB, which need another format.
 */
export async function zipFile(
  files: readonly NamedFile[],
  onProgress: (share: number) => void,
): Promise<File | undefined> {
  const content: (Blob | Uint8Array<ArrayBuffer>)[] = [];
  const directory: (Blob | Uint8Array<ArrayBuffer>)[] = [];
  let [offset, directorySize] = [0, 0];
  for (const [index, { name, file }] of files.entries()) {
    const path = new TextEncoder().encode(name);
    const entry = entryOf(await checksum(file), file.size, path.length);
    content.push(bytesOf([[4, 0x04034b50], ...entry]), path, file);
    directory.push(bytesOf([[4, 0x02014b50], [2, 20], ...entry, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]]), path);
    offset += 30 + path.length + file.size;
    directorySize += 46 + path.length;
    if (offset + directorySize > MAX_BYTES) return undefined;
    onProgress((index + 1) / files.length);
  }
  const count = files.length;
  const end = bytesOf([
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, directorySize],
    [4, offset],
    [2, 0],
  ]);
  return new File([...content, ...directory, end], 'batch.zip', { type: 'application/zip' });
}

type Field = readonly [bytes: 2 | 4, value: number];

/** Version, flags, method, time, date (1980-01-01), checksum, sizes and lengths. */
const entryOf = (crc: number, size: number, nameLength: number): Field[] => [
  ...([
    [2, 20],
    [2, UTF8_NAMES],
    [2, 0],
    [2, 0],
    [2, 33],
  ] as const),
  ...([
    [4, crc],
    [4, size],
    [4, size],
    [2, nameLength],
    [2, 0],
  ] as const),
];

function bytesOf(fields: readonly Field[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [bytes]) => sum + bytes, 0)));
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  }
  return new Uint8Array(view.buffer);
}

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** CRC-32. */
async function checksum(file: Blob): Promise<number> {
  let crc = 0xffffffff;
  const reader = file.stream().getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    for (const byte of next.value) crc = (crc >>> 8) ^ TABLE[(crc ^ byte) & 0xff]!;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
