export type ImageType =
  | 'image/jpeg'
  | 'image/png'
  | 'image/webp'
  | 'image/tiff'
  | 'image/gif'
  | 'image/avif'
  | 'image/heic';

/** File name extensions of these types. */
export const IMAGE_EXTENSIONS = ['.jpg', '.jpeg', '.png', '.webp', '.tif', '.tiff', '.gif', '.avif', '.heic'] as const;

/** Ignores the declared type. */
export function sniffImage(head: Buffer): ImageType | undefined {
  const text = (from: number, to: number) => head.toString('latin1', from, to);
  if (text(0, 3) === '\xff\xd8\xff') return 'image/jpeg';
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (text(0, 6) === 'GIF87a' || text(0, 6) === 'GIF89a') return 'image/gif';
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'image/webp';
  // The byte order, then 42 (TIFF) or 43 (BigTIFF).
  if (/^(II[*+]\0|MM\0[*+])/.test(text(0, 4))) return 'image/tiff';
  if (text(4, 8) === 'ftyp') return heifKind(head);
  return undefined;
}

/** The first box of the common container of AVIF and HEIC lists the major brand, then the compatible brands. */
function heifKind(head: Buffer): ImageType | undefined {
  if (head.length < 16) return undefined;
  const end = Math.min(head.readUInt32BE(0), head.length);
  const brands = [head.toString('latin1', 8, 12)];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(head.toString('latin1', at, at + 4));
  // The major brands `mif1` and `msf1` only mean HEIF; then the first known compatible brand decides.
  for (const brand of brands) {
    if (brand === 'avif' || brand === 'avis') return 'image/avif';
    if (HEVC_BRANDS.has(brand)) return 'image/heic';
  }
  return undefined;
}

const HEVC_BRANDS: ReadonlySet<string> = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs']);
