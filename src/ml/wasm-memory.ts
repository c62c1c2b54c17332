const PAGE_BYTES = 2 ** 16;
const { grow } = WebAssembly.Memory.prototype;

/**
 * Limits each WebAssembly memory of this thread. Growth above `maxBytes` throws a RangeError, which decoders report as
 * an error of the file.
 */
export function limitWasmMemory(maxBytes: number): void {
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * PAGE_BYTES > maxBytes) throw new RangeError('The file needs too much memory.');
    return grow.call(this, pages);
  };
}
