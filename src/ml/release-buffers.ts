import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';

/** Smaller buffers of Node may share their memory with others. */
const POOLED_BYTES = 64 * 1024;

/**
 * Frees the memory of large typed arrays; they are empty afterwards, and so are other views of their memory. The garbage
 * collector would keep up to hundreds of megabytes of them for seconds.
 */
export async function releaseBuffers(
  ...arrays: readonly (Uint8Array<ArrayBuffer> | Float32Array<ArrayBuffer>)[]
): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  const large = arrays.filter(({ byteLength }) => byteLength > POOLED_BYTES);
  port1.postMessage(undefined, [...new Set(large.map(({ buffer }) => buffer))]);
  const closed = once(port2, 'close');
  // Drops the message with the memory that was moved into it.
  port2.close();
  await closed;
}
