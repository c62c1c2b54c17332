/** Values with 16 bits each: a little-endian float32 scale, then little-endian int16 multiples of it. */
export function packVector(values: Float32Array): Buffer {
  const bytes = Buffer.alloc(4 + 2 * values.length);
  const scale = Math.fround(values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / MAX_MULTIPLE);
  bytes.writeFloatLE(scale);
  values.forEach((value, i) => {
    const multiple = scale === 0 ? 0 : Math.round(value / scale);
    bytes.writeInt16LE(Math.max(-MAX_MULTIPLE, Math.min(MAX_MULTIPLE, multiple)), 4 + 2 * i);
  });
  return bytes;
}

/** Reads {@link packVector}. */
export function unpackVector(bytes: Buffer): Float32Array {
  const scale = bytes.readFloatLE();
  return Float32Array.from({ length: (bytes.length - 4) / 2 }, (_, i) => bytes.readInt16LE(4 + 2 * i) * scale);
}

const MAX_MULTIPLE = 32_767;
