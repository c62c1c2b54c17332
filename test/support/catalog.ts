import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AppContext, openAppContext } from '../../src/app-context.ts';
import { loadConfig } from '../../src/config.ts';
import { createBackgroundContext, createGatewayContext } from '../../src/role-contexts.ts';
import { serve } from '../../src/roles/serve.ts';
import { createRecords, type ImportedRecord } from '../../src/services/catalog/records/records.ts';
import type { BackgroundService } from '../../src/services/shared/service.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { type Client, createClient } from './passports.ts';

export const READER = 'reader-token-1';
export const OTHER_READER = 'reader-token-2';
export const MODERATOR = 'moderator-token-1';
export const OTHER_MODERATOR = 'moderator-token-2';

/** The catalog's real HTTP server on a real database; `index` starts its worker. */
export interface Catalog {
  readonly url: string;
  readonly context: AppContext;
  readonly database: TestDatabase;
  readonly dataDir: string;
  /** A client with this token, or anonymous without one. */
  client(options?: { token?: string | undefined }): Client;
  readonly reader: Client;
  readonly moderator: Client;
  seed(records: readonly ImportedRecord[]): Promise<void>;
  seedPicture(
    recordId: string,
    picture: { bytes: Buffer; width: number; height: number; thumbnail?: Buffer | undefined },
  ): Promise<void>;
  /** Starts the worker if necessary and waits until the feed is indexed; pictures may be in progress. */
  index(): Promise<void>;
  stop(): Promise<void>;
}

/** An `undefined` value in `env` removes a default. */
export async function startCatalog(env: Record<string, string | undefined> = {}): Promise<Catalog> {
  const database = await testDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'assay-catalog-'));
  const config = await loadConfig(
    {
      APP_ENV: 'test',
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      FILES_HOST: 'files.assay.internal',
      CATALOG_PORT: '0',
      CATALOG_SOURCES: 'defectoscopy,stt,passports',
      REPORTS_API_TOKENS: `${READER},${OTHER_READER}`,
      REPORTS_MODERATOR_TOKENS: `${MODERATOR},${OTHER_MODERATOR}`,
      LOG_LEVEL: 'silent',
      ...env,
    },
    'test',
  );
  const service = config.services.find(({ name }) => name === 'catalog') as BackgroundService;
  const context = await openAppContext({ ...config, services: [service] });
  const { db, files, log } = context;
  const stop = new AbortController();
  const { signal } = stop;
  const running: Promise<unknown>[] = [];
  const listeners = await createGatewayContext(context, signal, 50);
  const url = await new Promise<string>((resolve, reject) => {
    const onListening = (addresses: Record<string, string>) => resolve(addresses['catalog']!);
    const serving = serve({ services: [service], context: listeners, host: '127.0.0.1', onListening, log, signal });
    serving.catch(reject);
    running.push(serving);
  });

  let worker: Promise<void> | undefined;
  async function startWorker(): Promise<void> {
    if (worker !== undefined) return;
    worker = service.runBackgroundJob(await createBackgroundContext(context), signal);
    worker.catch(() => {});
    running.push(worker);
  }

  return {
    ...{ url, context, database, dataDir },
    client: ({ token } = {}) => createClient(url, token),
    reader: createClient(url, READER),
    moderator: createClient(url, MODERATOR),
    seed: (records) => createRecords({ db, files, log }).import(records),
    async seedPicture(recordId, { bytes, width, height, thumbnail }) {
      const put = async (content: Buffer) => (await files.put(content, { maxBytes: content.length })).key;
      const keys = [await put(bytes), thumbnail ? await put(thumbnail) : null];
      const { rowCount } = await db.query(
        `update catalog_records set picture_key = $2, thumbnail_key = $3, picture_width = $4, picture_height = $5
          where record_id = $1`,
        [recordId, ...keys, width, height],
      );
      if (rowCount !== 1) throw new Error(`record ${recordId} not found`);
    },
    async index() {
      await startWorker();
      for (let waits = true; waits; ) {
        const { rows } = await db.query<{ waits: boolean }>(
          `select exists (select from unnumbered_task_events) or exists (select from catalog_feed)
                  or exists (select from catalog_picture_jobs where due_at <= now()) as waits`,
        );
        waits = rows[0]!.waits;
        if (waits) await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async stop() {
      stop.abort();
      await Promise.all(running).finally(async () => {
        await context.close();
        await database.drop();
        await rm(dataDir, { recursive: true, force: true });
      });
    },
  };
}
