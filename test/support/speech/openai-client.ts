import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { expect, onTestFinished, vi } from 'vitest';
import { MARKER } from '../../../src/base/files/stored-keys.ts';
import type { Model } from '../../../src/services/shared/service.ts';
import type { TranscribeInput } from '../../../src/services/stt/result.ts';
import { startProduct, TOKEN } from '../product.ts';
import { createFakeSpeechModel, createSilence, TRANSCRIPT } from './fake-model.ts';

export const OTHER_TOKEN = 'test-token-2';

/** The unmodified client of OpenAI. */
export const createOpenAi = (url: string, token: string, options: { maxRetries?: number; timeout?: number } = {}) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0, ...options });

let seconds = 0;
/** A recording with other content than all earlier ones. */
export const newRecording = () => toFile(createSilence(++seconds), 'recording.wav');

/** The error of a call of the client. */
export const rejected = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable(),
    (error: unknown) => error as InstanceType<typeof OpenAI.APIError>,
  );

/** A model that waits in each task until `release`. */
export function gate() {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const run = async (): ReturnType<Model['run']> => {
    await released;
    return { result: TRANSCRIPT as never };
  };
  return { run, release: () => release() };
}

/** The speech listener with a client of OpenAI, and what it has stored. */
export async function startOpenAi(env: Record<string, string | undefined> = {}) {
  const product = await startProduct({ service: 'stt', env: { STT_API_TOKENS: `${TOKEN},${OTHER_TOKEN}`, ...env } });
  // The sweep marks the folder by way of a temporary file, which `storedFiles` would list.
  await vi.waitFor(() => access(join(product.context.settings.dataDir, 'files', MARKER)), { timeout: 30_000 });
  return {
    product,
    openai: createOpenAi(product.url, TOKEN),

    /** Starts a worker with a fake model for the current test; `inputs` are those of its tasks. */
    async work(run: Model['run'] = async () => ({ result: TRANSCRIPT as never })) {
      const inputs: TranscribeInput[] = [];
      const recording: Model['run'] = (job) => {
        inputs.push(job.input as unknown as TranscribeInput);
        return run(job);
      };
      onTestFinished(await product.startWorker(createFakeSpeechModel({ run: recording })));
      return { inputs };
    },

    async countOf(table: 'tasks' | 'files', condition = 'true'): Promise<number> {
      const { rows } = await product.database.db.query<{ n: number }>(
        `select count(*)::int as n from ${table} where ${condition}`,
      );
      return rows[0]!.n;
    },

    /** The names in the folder of stored files. */
    async storedFiles(): Promise<string[]> {
      const folder = join(product.context.settings.dataDir, 'files');
      const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
      return entries.filter((entry) => entry.isFile() && entry.name !== MARKER).map(({ name }) => name);
    },
  };
}
