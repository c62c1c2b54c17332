import { expect, it } from 'vitest';
import { verifiedPackageFile } from './package-file.ts';

const FILE = '@tesseract.js-data/eng/package.json';
const SHA256 = 'b603509212196b5d09e10519bf252c1e344b79704d065e0d62886846f8554c80';

it('returns a file of a package whose SHA-256 is the tested one', async () => {
  const { path, bytes } = await verifiedPackageFile(FILE, SHA256);
  expect(path).toMatch(/package\.json$/u);
  expect(JSON.parse(bytes.toString())).toMatchObject({ name: '@tesseract.js-data/eng' });
});

it('rejects another file and a missing one', async () => {
  await expect(verifiedPackageFile(FILE, '0'.repeat(64))).rejects.toThrow(
    new RegExp(`missing or damaged \\(its SHA-256 is ${SHA256}\\)\\. Run \`npm ci\` again`, 'u'),
  );
  await expect(verifiedPackageFile('@tesseract.js-data/eng/none.onnx', SHA256)).rejects.toThrow(
    /^The model file \S+none\.onnx is missing/u,
  );
});
