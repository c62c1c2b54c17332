/** A growing buffer of samples: appended at the end, discarded at the start. */
export function createSampleBuffer() {
  let memory = new Float32Array(2 ** 16);
  let length = 0;
  return {
    length: () => length,
    append(piece: Float32Array): void {
      if (length + piece.length > memory.length) {
        const larger = new Float32Array(Math.max(memory.length * 2, length + piece.length));
        larger.set(memory.subarray(0, length));
        memory = larger;
      }
      memory.set(piece, length);
      length += piece.length;
    },
    copy: (from: number, to: number): Float32Array => memory.slice(from, Math.min(to, length)),
    discard(samples: number): void {
      memory.copyWithin(0, samples, length);
      length -= samples;
    },
  };
}
