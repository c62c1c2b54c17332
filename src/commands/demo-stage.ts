import { readFile } from 'node:fs/promises';
import { PACKAGE_ROOT } from '../plan.ts';

export interface Stage {
  readonly address: string;
  readonly credential: string | undefined;
  readonly signal: AbortSignal;
  read(example: string): Promise<Buffer>;
  say(line: string): void;
  /** With the elapsed seconds; skips repetitions. */
  sayAfter(status: string): void;
}

export function setStage(service: Pick<Stage, 'address' | 'credential' | 'signal'>): Stage {
  const begun = Date.now();
  let last = '';
  return {
    ...service,
    read: (example) => readFile(new URL(example, PACKAGE_ROOT)),
    say: (line) => console.log(line),
    sayAfter(status) {
      if (status !== last) console.log(`   ${seconds(begun).padStart(7)}  ${status}`);
      last = status;
    },
  };
}

export const sizeOf = (bytes: Buffer) => `${Math.round(bytes.length / 1024)} KiB`;
export const seconds = (since: number) => `${((Date.now() - since) / 1000).toFixed(1)} s`;
