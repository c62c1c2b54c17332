import sharp from 'sharp';
import { createGate } from '../../../ml/gate.ts';

export type PictureFormat = 'webp' | 'jpeg' | 'png';

export interface Resized {
  readonly bytes: Buffer;
  readonly type: string;
}

/** So many at a time: a page of thumbnails must not take the processors from whoever searches. */
const inTurn = createGate(2);

/**
 * A stored picture in another size or format: at most `side` pixels a side and never enlarged. What the picture says
 * besides its pixels (a place, a camera) is not taken along.
 */
export function resized(
  bytes: Buffer,
  { side, format }: { side: number | undefined; format: PictureFormat },
): Promise<Resized> {
  return inTurn(async () => {
    const picture = sharp(bytes, { failOn: 'none' });
    if (side !== undefined) picture.resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true });
    return { bytes: await picture.toFormat(format, QUALITY[format]).toBuffer(), type: `image/${format}` };
  });
}

const QUALITY = { webp: { quality: 78, effort: 2 }, jpeg: { quality: 82 }, png: { compressionLevel: 6 } };
