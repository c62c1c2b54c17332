/** Features of a photo as signed bytes: src/ml/feature-signature.ts. */
export type Signature = Int8Array;
export const SIGNATURE_LENGTH = 256;

/** A bit per value, as hexadecimal digits: similar signatures differ in few bits (Charikar 2002, doi:10.1145/509907.509965). */
export function signBits(signature: Signature): string {
  const bytes = Buffer.alloc(Math.ceil(signature.length / 8));
  signature.forEach((value, i) => {
    if (value > 0) bytes[i >> 3]! |= 0x80 >> (i & 7);
  });
  return bytes.toString('hex');
}

/** 0 for a signature of zeros. */
export function cosineOf(a: Signature, b: Signature): number {
  let [product, ofA, ofB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    product += a[i]! * b[i]!;
    ofA += a[i]! * a[i]!;
    ofB += b[i]! * b[i]!;
  }
  return product === 0 ? 0 : product / Math.sqrt(ofA * ofB);
}
