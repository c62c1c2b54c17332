import { readFile } from 'node:fs/promises';
import { PACKAGE_ROOT } from '../plan.ts';

/** Where a show is played: a service's address, what opens it, and the terminal. */
export interface Stage {
  readonly address: string;
  readonly credential: string | undefined;
  readonly signal: AbortSignal;
  read(example: string): Promise<Buffer>;
  say(line: string): void;
  /** Says it with the seconds since the stage was set, unless it was the last word already. */
  sayAfter(word: string): void;
}

export function setStage(given: Pick<Stage, 'address' | 'credential' | 'signal'>): Stage {
  const begun = Date.now();
  let last = '';
  return {
    ...given,
    read: (example) => readFile(new URL(example, PACKAGE_ROOT)),
    say: (line) => console.log(line),
    sayAfter(word) {
      if (word !== last) console.log(`   ${seconds(begun).padStart(7)}  ${word}`);
      last = word;
    },
  };
}

export const sizeOf = (bytes: Buffer) => `${Math.round(bytes.length / 1024)} KiB`;
export const seconds = (since: number) => `${((Date.now() - since) / 1000).toFixed(1)} s`;
