import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProbe, run, type Subject, subjects, type Verdict, verdictLines, type Visit } from '../src/conform/index.ts';
import { FAILURES as IMAGE_FAILURES } from '../src/services/defectoscopy/failures.ts';
import { failure } from '../src/services/passports/failures.ts';
import type { Job } from '../src/services/service.ts';
import { FAILURES as AUDIO_FAILURES } from '../src/services/stt/failures.ts';
import { TaskFailure } from '../src/tasks/task.ts';
import { type BreachingProxy, startBreachingProxy } from './helpers/breaching-proxy.ts';
import { ADMIN_KEY, extraction, fakeReading, pdf } from './helpers/passports.ts';
import { fakeModel, type Product, RESULT, startProduct, TOKEN } from './helpers/product.ts';
import { fakeHearing, HEARD, silence } from './helpers/speech.ts';

const JPEG = Buffer.concat([Buffer.from('ffd8ffe000104a46494600', 'hex'), Buffer.alloc(2000)]);

let visits = 0;
async function conform(name: string, proxy: BreachingProxy, over: Partial<Visit> = {}, only = ''): Promise<Verdict[]> {
  const { signal } = new AbortController();
  const visit: Visit = {
    probe: createProbe(proxy.url, signal),
    token: TOKEN,
    apiKey: ADMIN_KEY,
    fileUrl: undefined,
    specimens: {
      image: async () => JPEG,
      recording: async () => silence(),
      document: async () => Buffer.from(pdf().bytes),
    },
    webhookUrl: 'https://conform.invalid/hook',
    sameMachine: true,
    patienceMs: 20_000,
    mayFlood: false,
    mayCleanUp: true,
    nonce: `test${++visits}`,
    signal,
    ...over,
  };
  const subject = subjects.find((one) => one.name === name)!;
  const verdicts: Verdict[] = [];
  for await (const verdict of run(subject, visit, ({ id }) => id.startsWith(only))) verdicts.push(verdict);
  return verdicts;
}

describe('defectoscopy', () => {
  let product: Product;
  let proxy: BreachingProxy;
  beforeAll(async () => {
    product = await startProduct({ env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' } });
    proxy = await startBreachingProxy(product.url);
    await product.startWorker(
      fakeModel({
        async run({ input, signal }: Job) {
          await proxy.seen(signal);
          if (JSON.stringify(input).includes('.conform-')) throw new TaskFailure(IMAGE_FAILURES.notFound);
          return { result: RESULT };
        },
      }),
    );
  });
  afterAll(async () => {
    await proxy.close();
    await product.stop();
  });

  it('first', async () => {
    const t = Date.now();
    const verdicts = await conform('defectoscopy', proxy);
    console.log(Date.now() - t, verdicts.filter((v) => v.outcome !== 'passed').flatMap(verdictLines).join('\n'));
  });
});

describe('stt', () => {
  let product: Product;
  let proxy: BreachingProxy;
  beforeAll(async () => {
    product = await startProduct({ service: 'stt', env: { STT_RATE_LIMIT_PER_MINUTE: '0' } });
    proxy = await startBreachingProxy(product.url);
    await product.startWorker(
      fakeHearing({
        concurrency: 4,
        async run({ input, signal }: Job) {
          await proxy.seen(signal);
          if (JSON.stringify(input).includes('.conform-')) throw new TaskFailure(AUDIO_FAILURES.notFound);
          return { result: HEARD as never };
        },
      }),
    );
  });
  afterAll(async () => {
    await proxy.close();
    await product.stop();
  });

  it('first', async () => {
    const t = Date.now();
    const verdicts = await conform('stt', proxy);
    console.log(Date.now() - t, verdicts.filter((v) => v.outcome !== 'passed').flatMap(verdictLines).join('\n'));
  });
});

describe('passports', () => {
  let product: Product;
  let proxy: BreachingProxy;
  beforeAll(async () => {
    const env = { PASSPORTS_API_KEYS: `admin:${ADMIN_KEY}`, PASSPORTS_TOKEN_LIMIT_PER_MINUTE: '0' };
    product = await startProduct({ service: 'passports', env });
    proxy = await startBreachingProxy(product.url);
    await product.startWorker({
      ...fakeReading(),
      async run({ input, signal }: Job) {
        await proxy.seen(signal);
        const file = await product.house.files.get((input as { file_key: string }).file_key);
        if (file?.includes('/Resources << >>')) throw new TaskFailure(failure('NO_FIELDS_FOUND'));
        return { result: extraction() as never };
      },
    });
  });
  afterAll(async () => {
    await proxy.close();
    await product.stop();
  });

  it('first', async () => {
    const t = Date.now();
    const verdicts = await conform('passports', proxy);
    console.log(Date.now() - t, verdicts.filter((v) => v.outcome !== 'passed').flatMap(verdictLines).join('\n'));
  });
});
