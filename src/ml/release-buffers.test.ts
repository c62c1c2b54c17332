import { expect, it } from 'vitest';
import { releaseBuffers } from './release-buffers.ts';

it('frees large byte arrays, and keeps small ones, which may share memory', async () => {
  const before = process.memoryUsage().arrayBuffers;
  const [large, small] = [new Uint8Array(64 << 20), Buffer.from('kept') as Buffer<ArrayBuffer>];
  await releaseBuffers(large, small);
  expect(large.byteLength).toBe(0);
  expect(small.toString()).toBe('kept');
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 << 20);
});
