import { readFile } from 'node:fs/promises';
import { PACKAGE_ROOT } from '../config.ts';

export interface DemoContext {
  readonly address: string;
  readonly credential: string | undefined;
  readonly signal: AbortSignal;
  readExample(example: string): Promise<Buffer>;
  print(line: string): void;
  /** With the elapsed seconds; skips repetitions. */
  printElapsed(status: string): void;
}

export function createDemoContext(service: Pick<DemoContext, 'address' | 'credential' | 'signal'>): DemoContext {
  const begun = Date.now();
  let last = '';
  return {
    ...service,
    readExample: (example) => readFile(new URL(example, PACKAGE_ROOT)),
    print: (line) => console.log(line),
    printElapsed(status) {
      if (status !== last) console.log(`   ${elapsedSeconds(begun).padStart(7)}  ${status}`);
      last = status;
    },
  };
}

export const sizeOf = (bytes: Buffer) => `${Math.round(bytes.length / 1024)} KiB`;
export const elapsedSeconds = (since: number) => `${((Date.now() - since) / 1000).toFixed(1)} s`;
