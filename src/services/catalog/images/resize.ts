import pLimit from 'p-limit';
import sharp from 'sharp';

export type PictureFormat = 'webp' | 'jpeg' | 'png';

/** Leaves CPU time for searches. */
const withPermit = pLimit(2);

/** At most `side` pixels per side, never enlarged, without metadata. */
export function resizePicture(
  bytes: Buffer,
  { side, format }: { side: number | undefined; format: PictureFormat },
): Promise<{ bytes: Buffer; type: string }> {
  return withPermit(async () => {
    const picture = sharp(bytes, { failOn: 'none' });
    if (side !== undefined) picture.resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true });
    return { bytes: await picture.toFormat(format, QUALITY[format]).toBuffer(), type: `image/${format}` };
  });
}

const QUALITY = { webp: { quality: 78, effort: 2 }, jpeg: { quality: 82 }, png: { compressionLevel: 6 } };
