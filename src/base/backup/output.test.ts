import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { OperatorError } from '../operator-error.ts';
import { streamOutput } from './output.ts';

const slow = (write: (piece: Buffer) => Error | null) =>
  new Writable({
    highWaterMark: 1,
    write: (piece: Buffer, _, done) => setImmediate(() => done(write(piece))),
  }) as unknown as NodeJS.WriteStream;

test('streamOutput writes with backpressure and leaves no listeners on the stream', async () => {
  const got: string[] = [];
  const out = slow((piece) => {
    got.push(piece.toString());
    return null;
  });
  const output = streamOutput(out);
  const listeners = () => out.eventNames().map((name) => [name, out.listenerCount(name)]);
  const before = listeners();
  for (let i = 0; i < 20; i++) {
    await output.write(Buffer.from(`${i}`));
    expect(got.at(-1)).toBe(`${i}`);
  }
  expect(listeners()).toEqual(before);
});

test('streamOutput rejects with an operator error if the stream fails', async () => {
  const output = streamOutput(slow(() => new Error('write EPIPE')));
  await expect(output.write(Buffer.from('a'))).rejects.toThrow(OperatorError);
  await expect(output.write(Buffer.from('b'))).rejects.toThrow('The backup could not be written: ');
});
