import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

export function bigEndian(value: number, bytes: 1 | 2 | 4 = 4): Buffer {
  const field = Buffer.alloc(bytes);
  field.writeUIntBE(value, 0, bytes);
  return field;
}

export const plainImage = (width = 64, height = 48, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: '#a04020' } });

export function pngChunk(type: string, data = Buffer.alloc(0)): Buffer {
  const typed = Buffer.concat([Buffer.from(type), data]);
  return Buffer.concat([bigEndian(data.length), typed, bigEndian(crc32(typed))]);
}

export const pngOf = (...chunks: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks, pngChunk('IEND')]);

/** `IHDR`; 1-bit greyscale by default. */
export const pngHead = (width: number, height: number, { bits = 1, colour = 0, interlaced = false } = {}): Buffer =>
  pngChunk(
    'IHDR',
    Buffer.concat([bigEndian(width), bigEndian(height), Buffer.from([bits, colour, 0, 0, Number(interlaced)])]),
  );

/** A valid black image, a thousandth of its pixel count in size. */
export const blackPng = (side: number): Buffer =>
  pngOf(
    pngHead(side, side),
    pngChunk('IDAT', deflateSync(Buffer.alloc((Math.ceil(side / 8) + 1) * side), { level: 1 })),
  );

export const pixelPng = (...chunks: readonly Buffer[]): Buffer =>
  pngOf(pngHead(1, 1, { bits: 8 }), ...chunks, pngChunk('IDAT', deflateSync(Buffer.from([0, 128]))));

export const segment = (marker: number, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0xff, marker]), bigEndian(body.length + 2, 2), body]);

export const jpegHead = (side: number): Buffer =>
  Buffer.concat([
    Buffer.from('ffd8ffc00011', 'hex'),
    Buffer.concat([
      Buffer.from([8]),
      bigEndian(side, 2),
      bigEndian(side, 2),
      Buffer.from('0301220002110103110100', 'hex'),
    ]),
    Buffer.from('ffda000c03010002110311003f00', 'hex'),
    Buffer.alloc(2000, 0x55),
    Buffer.from('ffd9', 'hex'),
  ]);

export const withSegments = (jpeg: Buffer, ...segments: readonly Buffer[]): Buffer =>
  Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);

export async function jpegOfScans(scans: number, width: number, height: number): Promise<Buffer> {
  const jpeg = await plainImage(width, height).jpeg({ progressive: true }).toBuffer();
  const scan = segment(0xda, Buffer.from([1, 1, 0, 1, 63, 0]));
  return Buffer.concat([jpeg.subarray(0, -2), ...Array<Buffer>(scans).fill(scan), Buffer.from([0xff, 0xd9])]);
}

export function riff(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from(type), length, body, Buffer.alloc(body.length % 2)]);
}

export const webpOf = (width: number, height: number, ...chunks: readonly Buffer[]): Buffer =>
  canvas(width, height, 0, chunks);

export async function webpOfFrames(frames: number): Promise<Buffer> {
  const pixel = (await plainImage(1, 1).webp({ lossless: true }).toBuffer()).subarray(12);
  const frame = riff('ANMF', Buffer.alloc(16), pixel);
  return canvas(1, 1, ANIMATED, [riff('ANIM', Buffer.alloc(6)), Buffer.concat(Array<Buffer>(frames).fill(frame))]);
}

const ANIMATED = 2;

function canvas(width: number, height: number, flags: number, chunks: readonly Buffer[]): Buffer {
  const size = Buffer.alloc(10, 0);
  size[0] = flags;
  size.writeUIntLE(width - 1, 4, 3);
  size.writeUIntLE(height - 1, 7, 3);
  return riff('RIFF', Buffer.from('WEBP'), riff('VP8X', size), ...chunks);
}

export function gifOf(width: number, height: number, ...blocks: readonly Buffer[]): Buffer {
  const head = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1');
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  return Buffer.concat([head, ...blocks, Buffer.from(';')]);
}

export function gifFrame(width: number, height: number): Buffer {
  const frame = Buffer.from(',\0\0\0\0\0\0\0\0\0\x02\x02\x44\x01\0', 'latin1');
  frame.writeUInt16LE(width, 5);
  frame.writeUInt16LE(height, 7);
  return frame;
}

type Tag = readonly [tag: number, type: 3 | 4, ...values: number[]];

/** A TIFF with one directory after `data` (at offset 8); `next` is its declared next directory. */
export function tiffOf(
  tags: readonly Tag[],
  { data = Buffer.alloc(8), next = 0 }: { data?: Buffer; next?: number } = {},
) {
  const size = { 3: 2, 4: 4 } as const;
  const long = tags.map(([, type, ...values]) => (values.length * size[type] > 4 ? values.length * size[type] : 0));
  const start = 8 + data.length + (data.length % 2);
  const directory = 2 + tags.length * 12 + 4;
  const file = Buffer.alloc(start + directory + long.reduce((sum, each) => sum + each, 0));
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(start, 4);
  data.copy(file, 8);
  file.writeUInt16LE(tags.length, start);
  let beyond = start + directory;
  for (const [i, [tag, type, ...values]] of tags.entries()) {
    const at = start + 2 + 12 * i;
    file.writeUInt16LE(tag, at);
    file.writeUInt16LE(type, at + 2);
    file.writeUInt32LE(values.length, at + 4);
    if (long[i]) file.writeUInt32LE(beyond, at + 8);
    for (const [j, value] of values.entries())
      file.writeUIntLE(value, (long[i] ? beyond : at + 8) + j * size[type], size[type]);
    beyond += long[i]!;
  }
  file.writeUInt32LE(next, start + directory - 4);
  return file;
}

/** Tags of an 8-bit greyscale image with pixels at offset 8. */
export const greyTags = (width: number, height: number, ...more: readonly Tag[]): readonly Tag[] => {
  const tags: readonly Tag[] = [
    [256, 4, width],
    [257, 4, height],
    [258, 3, 8],
    [259, 3, 1],
    [262, 3, 1],
    [273, 4, 8],
    [277, 3, 1],
    [278, 4, height],
    [279, 4, 8],
  ];
  const overridden = new Set(more.map(([tag]) => tag));
  return [...tags.filter(([tag]) => !overridden.has(tag)), ...more].sort(([a], [b]) => a - b);
};

/** A TIFF with `count` linked directories whose tags have one value each. */
export function tiffOfDirectories(count: number, tags: readonly Tag[] = greyTags(8, 1)): Buffer {
  const one = tiffOf(tags);
  const length = one.length - 16;
  const file = Buffer.concat([one.subarray(0, 16), ...Array<Buffer>(count).fill(one.subarray(16))]);
  for (let i = 1; i < count; i++) file.writeUInt32LE(16 + i * length, 16 + i * length - 4);
  return file;
}

export const box = (type: string, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([bigEndian(body.length + 8), Buffer.from(type), body]);
};

const full = (type: string, version: number, ...parts: readonly Buffer[]) =>
  box(type, Buffer.from([version, 0, 0, 0]), ...parts);

interface Item {
  readonly type: string;
  readonly data: Buffer;
  readonly properties?: readonly Buffer[];
  readonly refers?: { readonly as: string; readonly to: readonly number[] };
}

/** An AVIF of these items (ids from 1; the first is primary); `beside` returns additional top-level boxes. */
export function avifOf(items: readonly Item[], beside: (dataAt: number) => readonly Buffer[] = () => []): Buffer {
  const properties = items.flatMap((item) => item.properties ?? []);
  const whose = items.map(({ properties: own = [] }, i) => {
    const places = own.map((property) => 0x80 + properties.indexOf(property) + 1);
    return Buffer.concat([bigEndian(i + 1, 2), Buffer.from([places.length, ...places])]);
  });
  const refers = items.flatMap(({ refers }, i) =>
    refers
      ? [
          box(
            refers.as,
            bigEndian(i + 1, 2),
            bigEndian(refers.to.length, 2),
            ...refers.to.map((to) => bigEndian(to, 2)),
          ),
        ]
      : [],
  );
  const head = box('ftyp', Buffer.from('avif\0\0\0\0avifmif1miaf'));
  const metaAt = (at: number) => {
    let next = at;
    const places = items.map(({ data }, i) => {
      next += data.length;
      return Buffer.concat([
        bigEndian(i + 1, 2),
        bigEndian(0, 2),
        bigEndian(1, 2),
        bigEndian(next - data.length),
        bigEndian(data.length),
      ]);
    });
    const names = items.map(({ type }, i) =>
      full('infe', 2, bigEndian(i + 1, 2), bigEndian(0, 2), Buffer.from(`${type}\0`)),
    );
    return full(
      'meta',
      0,
      full('hdlr', 0, bigEndian(0), Buffer.from('pict'), Buffer.alloc(13)),
      full('pitm', 0, bigEndian(1, 2)),
      full('iinf', 0, bigEndian(items.length, 2), ...names),
      full('iref', 0, ...refers),
      box('iprp', box('ipco', ...properties), full('ipma', 0, bigEndian(items.length), ...whose)),
      full('iloc', 0, bigEndian(0x4400, 2), bigEndian(items.length, 2), ...places),
    );
  };
  const before = head.length + metaAt(0).length + Buffer.concat([...beside(0)]).length;
  const at = before + 8;
  return Buffer.concat([head, metaAt(at), ...beside(at), box('mdat', ...items.map(({ data }) => data))]);
}

const avifSize = (width: number, height: number) => full('ispe', 0, bigEndian(width), bigEndian(height));

async function avifItem(): Promise<Item & { readonly coding: Buffer }> {
  const file = await plainImage(64, 64).avif({ effort: 0 }).toBuffer();
  const boxNamed = (type: string) => {
    const at = file.indexOf(type) - 4;
    return file.subarray(at, at + file.readUInt32BE(at));
  };
  const coding = boxNamed('av1C');
  return { type: 'av01', data: boxNamed('mdat').subarray(8), properties: [avifSize(64, 64), coding], coding };
}

export async function avifGrid(rows: number, columns: number, width: number, height: number): Promise<Buffer> {
  const data = Buffer.concat([Buffer.from([0, 1, rows - 1, columns - 1]), bigEndian(width), bigEndian(height)]);
  const refers = { as: 'dimg', to: Array<number>(rows * columns).fill(2) };
  return avifOf([{ type: 'grid', data, properties: [avifSize(width, height)], refers }, await avifItem()]);
}

export async function avifDescribed(packed: Buffer): Promise<Buffer> {
  const type = 'mime\0application/rdf+xml\0deflate';
  return avifOf([await avifItem(), { type, data: packed, refers: { as: 'cdsc', to: [1] } }]);
}

export async function avifWithVideo(films: number, frames: number): Promise<Buffer> {
  const item = await avifItem();
  const matrix = Buffer.concat([1, 0, 0, 0, 1, 0, 0, 0, 0x4000].map((one) => bigEndian(one * 0x10000)));
  const coded = Buffer.concat([bigEndian(64, 2), bigEndian(64, 2), Buffer.alloc(50), item.coding]);
  const film = (at: number) =>
    box(
      'trak',
      full(
        'tkhd',
        0,
        Buffer.alloc(8),
        bigEndian(1),
        Buffer.alloc(24),
        matrix,
        bigEndian(64 << 16),
        bigEndian(64 << 16),
      ),
      box(
        'mdia',
        full('mdhd', 0, Buffer.alloc(8), bigEndian(1000), bigEndian(1000), bigEndian(0)),
        full('hdlr', 0, bigEndian(0), Buffer.from('pict'), Buffer.alloc(13)),
        box(
          'minf',
          full('vmhd', 0, Buffer.alloc(8)),
          box(
            'stbl',
            full('stsd', 0, bigEndian(1), box('av01', Buffer.alloc(6), bigEndian(1, 2), Buffer.alloc(16), coded)),
            full('stts', 0, bigEndian(1), bigEndian(frames), bigEndian(1)),
            full('stsc', 0, bigEndian(1), bigEndian(1), bigEndian(frames), bigEndian(1)),
            full('stsz', 0, bigEndian(1), bigEndian(frames)),
            full('stco', 0, bigEndian(1), bigEndian(at)),
          ),
        ),
      ),
    );
  const head = full(
    'mvhd',
    0,
    Buffer.alloc(8),
    bigEndian(1000),
    bigEndian(1000),
    bigEndian(0x10000),
    Buffer.alloc(12),
    matrix,
    Buffer.alloc(28),
  );
  return avifOf([item], (at) => [box('moov', head, ...Array<Buffer>(films).fill(film(at)))]);
}

export function withDeclaredSize(heic: Buffer, width: number, height: number): Buffer {
  const bytes = Buffer.from(heic);
  for (const each of [2, 4] as const) {
    const size = (w: number, h: number) => Buffer.concat([bigEndian(w, each), bigEndian(h, each)]);
    size(width, height).copy(bytes, bytes.indexOf(size(128, 96)));
  }
  return bytes;
}
