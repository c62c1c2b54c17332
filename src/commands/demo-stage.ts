import { readFile } from 'node:fs/promises';
import { PACKAGE_ROOT } from '../plan.ts';

/** Where a show is played: a service's address, what opens it, and the terminal. */
export interface Stage {
  readonly address: string;
  readonly credential: string | undefined;
  readonly signal: AbortSignal;
  read(example: string): Promise<Buffer>;
  say(line: string): void;
  /** Says it with the seconds since the stage was set. */
  sayAfter(word: string): void;
}

export function setStage(given: Pick<Stage, 'address' | 'credential' | 'signal'>): Stage {
  const begun = Date.now();
  return {
    ...given,
    read: (example) => readFile(new URL(example, PACKAGE_ROOT)),
    say: (line) => console.log(line),
    sayAfter: (word) => console.log(`   ${seconds(begun).padStart(7)}  ${word}`),
  };
}

/** Calls the API as any client would; what is not a success is thrown with its sentence. */
export function caller({ address, signal }: Stage, token?: string) {
  return async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const response = await fetch(address + path, {
      ...init,
      headers: {
        accept: 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(init.headers as Record<string, string>),
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]),
    });
    const body = (await response.json()) as T & { error?: { message: string } };
    if (!response.ok)
      throw new Error(`${path} answered ${response.status}: ${body.error?.message ?? 'no reason given'}`);
    return body;
  };
}

export const sizeOf = (bytes: Buffer) => `${Math.round(bytes.length / 1024)} KiB`;
export const seconds = (since: number) => `${((Date.now() - since) / 1000).toFixed(1)} s`;
