/** Float32 values from base64, little-endian. */
export function fromBase64(base64: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'));
  return new Float32Array(bytes.buffer, 0, bytes.length >> 2);
}

/** Float32 values as base64, little-endian. */
export const toBase64 = (values: Float32Array): string =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('base64');
