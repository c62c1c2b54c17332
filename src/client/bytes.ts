/** What can be uploaded: bytes, whole in memory or wherever a `Blob` has them (a browser's `File` is one). */
export type Bytes = Blob | Uint8Array | ArrayBuffer;

/** The same as what `fetch` sends; bytes are taken as they are now. */
export function blobOf(bytes: Bytes): Blob {
  if (bytes instanceof Blob) return bytes;
  return new Blob([bytes instanceof Uint8Array ? new Uint8Array(bytes) : bytes]);
}

/** What a file is called, where it says so itself. */
export const nameOf = (bytes: Bytes): string | undefined =>
  typeof File !== 'undefined' && bytes instanceof File ? bytes.name : undefined;
