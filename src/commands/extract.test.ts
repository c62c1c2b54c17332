import { expect, it, vi } from 'vitest';
import type { Passports } from '../client/index.ts';
import { createFromImages } from './extract.ts';

it('createFromImages uploads nothing if a PDF cannot have so many images', async () => {
  const uploadImages = vi.fn();
  const images = async () => ({ images: [], image_ids: [], max_images_per_pdf: 2 });
  const passports = { images, uploadImages } as unknown as Passports;
  const pages = Array.from({ length: 3 }, () => ({ name: 'page.jpg', data: new Blob(['any']) }));
  const { signal } = new AbortController();
  await expect(createFromImages(passports, pages, { signal })).rejects.toMatchObject({
    code: 'TOO_MANY_IMAGES',
    message: 'A PDF can have at most 2 images, not 3.',
  });
  expect(uploadImages).not.toHaveBeenCalled();
});
