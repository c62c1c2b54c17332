import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { type AppContext, openAppContext } from '../../src/app-context.ts';
import { loadConfig } from '../../src/config.ts';
import { createDeliverDeps, createGatewayContext, createSweepDeps } from '../../src/role-contexts.ts';
import { deliver } from '../../src/roles/deliver.ts';
import { createWorkMetrics } from '../../src/roles/metrics.ts';
import { serve } from '../../src/roles/serve.ts';
import { sweep } from '../../src/roles/sweep.ts';
import { work } from '../../src/roles/work.ts';
import type { GatewayContext, Model } from '../../src/services/shared/service.ts';
import { type TestDatabase, testDatabase } from './database.ts';

export const TOKEN = 'test-token-1';

/** The product in this process with real HTTP servers, database and webhooks; the model may be a fake. */
export interface Product {
  readonly url: string;
  readonly addresses: Readonly<Record<string, string>>;
  readonly context: AppContext;
  readonly gateway: GatewayContext;
  readonly database: TestDatabase;
  /** Calls the API with the test token; `body` is sent as JSON. */
  call(path: string, init?: CallInit): Promise<HttpResponse>;
  predict(body?: Record<string, unknown>): Promise<string>;
  waitForResult(id: string): Promise<Record<string, any>>;
  /** Starts a worker of a service (default: the first one); returns a function that stops it. */
  startWorker(model: Model, of?: string): Promise<() => Promise<void>>;
  /** Moves the timestamps of a task, its lease and its delivery into the past. */
  backdate(id: string, seconds: number): Promise<void>;
  stop(): Promise<void>;
}

export interface CallInit {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
  token?: string | null;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: any;
}

export async function startProduct({
  service = 'defectoscopy',
  env = {},
  roles = ['deliver', 'sweep'],
  model,
}: {
  service?: string;
  env?: Record<string, string | undefined>;
  roles?: readonly ('deliver' | 'sweep')[];
  model?: Model;
} = {}): Promise<Product> {
  const database = await testDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'assay-product-'));
  const config = await loadConfig(
    {
      APP_ENV: 'test',
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      DATABASE_CONNECTIONS: '6',
      FILES_HOST: 'files.assay.internal',
      SERVICES: service,
      [`${service.toUpperCase()}_PORT`]: '0',
      [`${service.toUpperCase()}_API_TOKENS`]: TOKEN,
      DEFECTOSCOPY_ALLOWED_IMAGE_HOSTS: 'storage-1.example.com,storage-2.example.com',
      LOG_LEVEL: 'silent',
      ...env,
    },
    'test',
  );
  const context = await openAppContext(config);
  const { tasks, workers, services, log, settings } = context;
  const stop = new AbortController();
  const { signal } = stop;
  const running: Promise<unknown>[] = [];
  const stopWorkers: (() => Promise<void>)[] = [];

  const listeners = await createGatewayContext(context, signal, 50);
  const { workerRegistry } = listeners;
  const addresses = await new Promise<Record<string, string>>((resolve, reject) => {
    const onListening = resolve;
    const serving = serve({ services, context: listeners, host: '127.0.0.1', onListening, log, signal });
    serving.catch(reject);
    running.push(serving);
  });
  const url = addresses[service]!;
  if (roles.includes('deliver')) running.push(deliver(await createDeliverDeps(context, signal)));
  if (roles.includes('sweep')) running.push(sweep(createSweepDeps(context, signal)));

  const call = async (path: string, { method = 'GET', headers = {}, body, token = TOKEN }: CallInit = {}) => {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && {
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, body: json };
  };

  const product: Product = {
    url,
    addresses,
    context,
    gateway: listeners,
    database,
    call,
    async predict(body = {}) {
      const image_url = 'https://storage-1.example.com/photo.jpg';
      const answer = await call('/predict', { method: 'POST', body: { image_url, ...body } });
      if (answer.status !== 202) throw new Error(`predict answered ${answer.status}: ${answer.text}`);
      return answer.body.data.task_id;
    },
    async waitForResult(id) {
      for (let i = 0; i < 30; i++) {
        const { status, body } = await call(`/result/${id}`, { headers: { prefer: 'wait=2' } });
        if (status === 200) return body.data;
      }
      throw new Error(`task ${id} did not finish in time`);
    },
    async startWorker(given, of = service) {
      const workerStop = new AbortController();
      const registry = new Registry();
      const worker = work({
        id: `test-${Math.random().toString(36).slice(2)}`,
        service: of,
        load: async () => given,
        tasks,
        workers,
        maxAttempts: settings.workerMaxAttempts,
        workMetrics: createWorkMetrics(of, registry),
        metrics: () => registry.getMetricsAsJSON(),
        traces: context.traces,
        log,
        signal: workerStop.signal,
      });
      worker.catch(() => {});
      const stopWorker = async () => {
        workerStop.abort();
        await worker;
      };
      stopWorkers.push(stopWorker);
      while (workerRegistry.workerState(of) !== 'warm') await new Promise((resolve) => setTimeout(resolve, 20));
      return stopWorker;
    },
    async backdate(id, seconds) {
      const back = (names: string[]) => names.map((name) => `${name} = ${name} - make_interval(secs => $2)`).join(', ');
      const columns = ['queued_at', 'run_at', 'deadline_at', 'expires_at', 'leased_until', 'started_at', 'finished_at'];
      await database.db.query(`update tasks set ${back(columns)} where id = $1`, [id, seconds]);
      await database.db.query(`update deliveries set ${back(['due_at', 'leased_until'])} where task_id = $1`, [
        id,
        seconds,
      ]);
    },
    async stop() {
      await Promise.allSettled(stopWorkers.map((stopWorker) => stopWorker()));
      stop.abort();
      await Promise.all(running);
      await context.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  if (model) await product.startWorker(model);
  return product;
}

export const RESULT = {
  surface: 'concrete_wall',
  masters: [
    { name: 'cracking', conf: 0.9 },
    { name: 'sound', conf: 0.1 },
  ],
  defects: [{ name: 'crack', conf: 0.9 }],
  model_version: '1.0.0',
};

export const MODEL_DETAILS = {
  created: '2026-11-20',
  kind: 'classes',
  familiarity: true,
  surfaces: ['concrete_wall', 'brick_wall'],
  masters: { cracking: ['crack'], mechanical: ['chip'], sound: [] },
  sound: 'sound',
  figures: { defects: { split: 'test', images: 1263, accuracy: 0.8591, calibration_error: 0.0269 } },
};

/** A model that returns RESULT immediately unless `over` replaces `run`. */
export function createFakeModel(over: Partial<Model> = {}): Model {
  return {
    info: () => ({
      model_version: '1.0.0',
      classes: { defects: ['crack', 'chip'], surfaces: ['concrete_wall', 'brick_wall'] },
      gpu: { name: 'cpu', vram_used_mb: 0, vram_total_mb: 0 },
      ...{ shipped: '1.0.0', pinned: false, versions: ['1.0.0', 'own-2'], networks: [], problems: {} },
    }),
    versions: () => [{ version: '1.0.0', details: MODEL_DETAILS }, { version: 'own-2' }],
    concurrency: 4,
    timeLimitMs: 60_000,
    run: async () => ({
      result: RESULT,
      attachment: { width: 2, height: 2, maps: { crack: Buffer.from([0, 51, 102, 255]).toString('base64') } },
    }),
    close: async () => {},
    ...over,
  };
}
