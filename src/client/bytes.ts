/** Upload content; a browser's `File` is a `Blob`. */
export type Bytes = Blob | Uint8Array | ArrayBuffer;

/** Copies byte arrays, so that later changes have no effect. */
export function toBlob(bytes: Bytes): Blob {
  if (bytes instanceof Blob) return bytes;
  return new Blob([bytes instanceof Uint8Array ? new Uint8Array(bytes) : bytes]);
}

export const fileNameOf = (bytes: Bytes): string | undefined =>
  typeof File !== 'undefined' && bytes instanceof File ? bytes.name : undefined;
