import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Passports } from '../client/index.ts';
import { createFromImages, extractCommand } from './extract.ts';

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

it('extract --no-wait prints only the ids of the documents, and refuses --output', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'assay-extract-')), 'a.pdf');
  await writeFile(path, '%PDF-1.7');
  const answer = JSON.stringify({ items: [{ id: 'd-1', status: 'PENDING' }] });
  const server = createServer((request, response) => void request.resume().on('end', () => response.end(answer)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(async () => {
    vi.restoreAllMocks();
    server.close();
    await rm(dirname(path), { recursive: true });
  });
  const options = { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'any', wait: false };
  const { signal } = new AbortController();
  await extractCommand([path, path], { ...options, format: 'xlsx' }, signal);
  expect(write).toHaveBeenCalledExactlyOnceWith('d-1\nd-1\n');
  await expect(extractCommand([path], { ...options, output: 'a.txt' }, signal)).rejects.toThrow(
    '--output cannot be used with --no-wait: there is no result yet. To write it later: `node scripts/assay.mjs result ID --service passports --output a.txt`.',
  );
});
