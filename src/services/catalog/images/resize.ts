import sharp from 'sharp';
import { createSemaphore } from '../../../ml/semaphore.ts';

export type PictureFormat = 'webp' | 'jpeg' | 'png';

export interface ResizedPicture {
  readonly bytes: Buffer;
  readonly type: string;
}

/** Leaves CPU time for searches. */
const withPermit = createSemaphore(2);

/** At most `side` pixels per side, never enlarged, without metadata. */
export function resizePicture(
  bytes: Buffer,
  { side, format }: { side: number | undefined; format: PictureFormat },
): Promise<ResizedPicture> {
  return withPermit(async () => {
    const picture = sharp(bytes, { failOn: 'none' });
    if (side !== undefined) picture.resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true });
    return { bytes: await picture.toFormat(format, QUALITY[format]).toBuffer(), type: `image/${format}` };
  });
}

const QUALITY = { webp: { quality: 78, effort: 2 }, jpeg: { quality: 82 }, png: { compressionLevel: 6 } };
