import { expect } from 'vitest';
import { type Assay, createInstancePlace, startAssay } from '../processes/assay.ts';
import { TOKEN } from '../processes/client.ts';
import { waitUntil } from '../processes/until.ts';

/** Speech to text as separate processes with the shipped model. */
export async function startSpeech(env: Record<string, string> = {}): Promise<Assay> {
  const place = await createInstancePlace();
  const settings = { SERVICES: 'stt', STT_PORT: String(place.port), STT_API_TOKENS: TOKEN };
  const assay = startAssay(place, { env: { ...settings, LOG_LEVEL: 'warn', ...env } });
  await assay.waitForOutput(/is ready/);
  await waitUntil(async () => (await assay.call('/health')).status === 200, 60_000);
  return assay;
}

/** Lower-case words without punctuation. */
export const plain = (text: string) => text.toLowerCase().replace(/[^a-z ]+/g, '');

/** Starts of the windows that the workers have processed so far, from the debug log; repeated if processed twice. */
export const startedWindows = ({ output }: Assay): number[] =>
  [...output.err.matchAll(/"from":([\d.]+),"to":([\d.]+)/g)].map(([, from]) => Number(from));

/** A worker recognizes two windows at once (decision 42), which have no checkpoint when it is killed. */
const WINDOWS_AT_ONCE = 2;

/** Each window of a killed worker's recording was processed, and at most those in progress twice. */
export function expectResumed(assay: Assay, minWindows: number): void {
  const windows = startedWindows(assay);
  const distinct = new Set(windows).size;
  console.log(`${distinct} windows; ${windows.length - distinct} of them processed twice.`);
  expect(distinct).toBeGreaterThanOrEqual(minWindows);
  expect(windows.length - distinct).toBeLessThanOrEqual(WINDOWS_AT_ONCE);
  expect(windows.filter((from) => from === windows[0])).toHaveLength(1);
}
