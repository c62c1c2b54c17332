import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MARKER } from '../../../src/base/files/stored-keys.ts';
import { processes } from '../../../src/base/postgres/processes.ts';
import { ADMIN_KEY, type Client, createClient } from '../passports.ts';
import { type Assay, createInstancePlace, type InstancePlace, startAssay } from './assay.ts';
import { peakMebibytes } from './cost.ts';
import { waitUntil } from './until.ts';

export interface PassportsAssay extends Assay {
  readonly place: InstancePlace;
  /** A browser without a session, or a program with a token. */
  client(options?: { token?: string | undefined }): Client;
  signedIn(): Promise<Client>;
  resultOf(client: Client, id: string, timeoutMs?: number): Promise<Record<string, any>>;
  /** Peak memory per kind of process, in MiB (Linux). */
  peaks(): Promise<Record<'serve' | 'work' | 'pdf', number>>;
  storedKeys(): Promise<string[]>;
}

export async function startPassportsAssay(env: Record<string, string> = {}): Promise<PassportsAssay> {
  const place = await createInstancePlace();
  const assay = startAssay(place, {
    env: {
      SERVICES: 'passports',
      PASSPORTS_PORT: String(place.port),
      PASSPORTS_API_KEYS: `admin:${ADMIN_KEY}`,
      LOG_LEVEL: 'warn',
      ...env,
    },
  });
  await assay.waitForOutput(/is ready/);
  const { url } = assay;
  const client: PassportsAssay['client'] = ({ token } = {}) => createClient(url, token);
  return {
    ...assay,
    place,
    client,
    async signedIn() {
      const program = client();
      program.token = (await program.post('/auth/token', { json: { api_key: ADMIN_KEY } })).body.token;
      return program;
    },
    async resultOf(owner, id, timeoutMs = 60_000) {
      let body: Record<string, any> = {};
      await waitUntil(async () => {
        const answer = await owner.get(`/api/task/${id}/result`);
        ({ body } = answer);
        if (answer.status > 202) throw new Error(`${id}: ${answer.text}`);
        return answer.status === 200;
      }, timeoutMs);
      return body;
    },
    async peaks() {
      const [gateway, worker] = [await assay.child('serve'), await assay.child('work')];
      const pdfProcesses = (await processes()).filter(({ command }) => command.includes('pdfium-process'));
      const peaks = pdfProcesses.filter(({ parent }) => parent === worker).map(({ pid }) => peakMebibytes(pid));
      return {
        serve: await peakMebibytes(gateway),
        work: await peakMebibytes(worker),
        pdf: Math.max(0, ...(await Promise.all(peaks))),
      };
    },
    async storedKeys() {
      const dir = join(place.dataDir, 'files');
      const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
      return entries
        .filter((entry) => entry.isFile() && entry.name !== MARKER && !entry.parentPath.endsWith('incoming'))
        .map(({ name }) => name);
    },
  };
}
