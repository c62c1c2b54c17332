import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { encodePicture } from '../model/pages/page-picture.ts';
import { createPreview } from './image-preview.ts';
import { inspectImage } from './inspect-image.ts';

const plain = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#a40' } });

describe('inspectImage', () => {
  it('detects the type from the content and returns the size after EXIF orientation', async () => {
    const rotated = await plain(300, 200).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    expect(await inspectImage(rotated)).toEqual({ width: 200, height: 300, contentType: 'image/jpeg' });
    const tiff = await plain(30, 20).tiff().toBuffer();
    expect(await inspectImage(tiff)).toEqual({ width: 30, height: 20, contentType: 'image/tiff' });
    const phone = await readFile(new URL('../../../ml/testing/phone.heic', import.meta.url));
    expect(await inspectImage(phone)).toMatchObject({ contentType: 'image/heic' });
  });

  it('rejects unsupported, damaged and too large images', async () => {
    const photo = await plain(300, 200).jpeg().toBuffer();
    expect(await inspectImage(Buffer.from('%PDF-1.7'))).toEqual({ problem: 'unsupported' });
    expect(await inspectImage(await plain(3, 2).gif().toBuffer())).toEqual({ problem: 'unsupported' });
    expect(await inspectImage(photo.subarray(0, photo.length / 2))).toEqual({ problem: 'corrupt' });
    expect(await inspectImage(await plain(9000, 6000).png().toBuffer())).toEqual({ problem: 'too_large' });
    expect(await inspectImage(Buffer.concat([photo, Buffer.alloc(21 * 2 ** 20)]))).toEqual({ problem: 'too_large' });
  });
});

describe('display images', () => {
  it('encodePicture returns a JPEG of at most 1600 pixels per side', async () => {
    const raster = { width: 2000, height: 1000, channels: 3 as const, data: new Uint8Array(6e6).fill(255) };
    expect(await sharp(await encodePicture(raster)).metadata()).toMatchObject({
      format: 'jpeg',
      width: 1600,
      height: 800,
    });
  });

  it('createPreview applies the EXIF orientation and the rotation', async () => {
    const rotated = await plain(300, 200).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const preview = await createPreview(rotated, { rotation: 90, side: 150 });
    expect(await sharp(preview).metadata()).toMatchObject({ format: 'jpeg', width: 150, height: 100 });
  });
});
