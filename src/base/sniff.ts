export type ImageType =
  | 'image/jpeg'
  | 'image/png'
  | 'image/webp'
  | 'image/tiff'
  | 'image/gif'
  | 'image/avif'
  | 'image/heic';

/** What kind of picture the first bytes of a file are, whatever it was declared to be; undefined for anything else. */
export function sniffImage(head: Buffer): ImageType | undefined {
  const text = (from: number, to: number) => head.toString('latin1', from, to);
  if (text(0, 3) === '\xff\xd8\xff') return 'image/jpeg';
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (text(0, 6) === 'GIF87a' || text(0, 6) === 'GIF89a') return 'image/gif';
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'image/webp';
  // The byte order, then 42, or 43 in files that may outgrow 4 GiB.
  if (/^(II[*+]\0|MM\0[*+])/.test(text(0, 4))) return 'image/tiff';
  if (text(4, 8) === 'ftyp') return heifKind(head);
  return undefined;
}

/** AVIF and HEIC share one container; its first box names the brand, then all brands that it is compatible with. */
function heifKind(head: Buffer): ImageType | undefined {
  if (head.length < 16) return undefined;
  const end = Math.min(head.readUInt32BE(0), head.length);
  const brands = [head.toString('latin1', 8, 12)];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(head.toString('latin1', at, at + 4));
  // The major brand decides; `mif1` and `msf1` say only "HEIF", so the compatible ones are asked next, in their order.
  for (const brand of brands) {
    if (brand === 'avif' || brand === 'avis') return 'image/avif';
    if (HEVC_BRANDS.has(brand)) return 'image/heic';
  }
  return undefined;
}

const HEVC_BRANDS: ReadonlySet<string> = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs']);
