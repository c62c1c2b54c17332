import { Catalog } from './catalog.ts';
import { type Clock, systemClock } from './clock.ts';
import { Connection, type Credential, type OutageListener, type RateLimitListener } from './connection.ts';
import { Defectoscopy } from './defectoscopy.ts';
import { Passports } from './passports.ts';
import { exchangeApiKey } from './passports-token.ts';
import type { Polling } from './poll-schedule.ts';
import { Stt } from './stt.ts';

export type { Batches, BatchFormat, CreateBatchOptions, ListItemsOptions } from './batches.ts';
export type { Bytes } from './bytes.ts';
export type * from './catalog.ts';
export type { Clock } from './clock.ts';
export type * from './defectoscopy.ts';
export type { DeliveryOptions, RedeliverOptions } from './deliveries.ts';
export * from './errors.ts';
export type { EventOptions } from './events.ts';
export type { GroupingOptions } from './grouping.ts';
export type * from './passports.ts';
export type { WaitOptions } from './poll.ts';
export type { Polling } from './poll-schedule.ts';
export type { CallOptions } from './request.ts';
export type * from './stt.ts';
export type { CreateOptions, FileOptions, TaskHandle, UploadedFile, WebhookKey, WebhookKeys } from './tasks.ts';
export { type HeadersInput, type VerifyOptions, verifyWebhook, type WebhookEvent } from './webhook.ts';
export type * from './wire/batches.ts';
export type * from './wire/catalog.ts';
export type * from './wire/defectoscopy.ts';
export type * from './wire/deliveries.ts';
export type * from './wire/passports.ts';
export type * from './wire/stt.ts';
export type * from './wire/timeline.ts';

export interface TokenService {
  /** Base address, like `https://photos.example.com`. */
  readonly url: string;
  readonly token?: string | undefined;
}

export interface KeyService {
  readonly url: string;
  readonly apiKey?: string | undefined;
  /** Alternative to `apiKey`: a token, valid until it expires. */
  readonly token?: string | undefined;
}

export interface AssayOptions {
  readonly defectoscopy?: TokenService | undefined;
  readonly stt?: TokenService | undefined;
  readonly passports?: KeyService | undefined;
  readonly catalog?: TokenService | undefined;
  /** Poll schedule; `local` is for services on the same machine. Default: `specification`. */
  readonly polling?: Polling | undefined;
  /** Maximum retries of a call that is safe to repeat. Default: 3. */
  readonly retries?: number | undefined;
  /**
   * Called before each wait for the rate limit. With it, a call waits until the limit allows it, regardless of `retries`; end it with its
   * `signal`. `timeoutSeconds` of `wait` ends polls.
   */
  readonly onRateLimit?: RateLimitListener | undefined;
  /** Called before a call is repeated after overload or a connection error, and when it succeeds. The default of `wait`. */
  readonly onOutage?: OutageListener | undefined;
  /** Time limit per request, excluding upload time. Default: 60. */
  readonly timeoutSeconds?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly clock?: Clock | undefined;
}

/** Client of one installation. Each service has its own base address; only configured services can be used. */
export class Assay {
  readonly #defectoscopy: Defectoscopy | undefined;
  readonly #stt: Stt | undefined;
  readonly #passports: Passports | undefined;
  readonly #catalog: Catalog | undefined;

  constructor(options: AssayOptions) {
    const { defectoscopy, stt, passports, catalog, polling = 'specification', clock = systemClock } = options;
    const connect = (url: string, credential?: Credential): Connection =>
      new Connection({
        ...{ url, credential, clock },
        // Looked up per call, so that a replaced global `fetch` is used.
        fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
        retries: options.retries ?? 3,
        onRateLimit: options.onRateLimit,
        onOutage: options.onOutage,
        timeoutSeconds: options.timeoutSeconds ?? 60,
      });
    if (defectoscopy)
      this.#defectoscopy = new Defectoscopy(connect(defectoscopy.url, bearer(defectoscopy.token)), polling);
    if (stt) this.#stt = new Stt(connect(stt.url, bearer(stt.token)), polling);
    if (passports) {
      const { url, apiKey, token } = passports;
      const key = apiKey === undefined ? bearer(token) : exchangeApiKey(apiKey, { line: connect(url), clock });
      this.#passports = new Passports(connect(url, key), polling);
    }
    if (catalog) this.#catalog = new Catalog(connect(catalog.url, bearer(catalog.token)));
  }

  get defectoscopy(): Defectoscopy {
    return requireService(this.#defectoscopy, 'defectoscopy');
  }

  get stt(): Stt {
    return requireService(this.#stt, 'stt');
  }

  get passports(): Passports {
    return requireService(this.#passports, 'passports');
  }

  get catalog(): Catalog {
    return requireService(this.#catalog, 'catalog');
  }
}

function bearer(token: string | undefined): Credential | undefined {
  return token === undefined ? undefined : { token: async () => token, invalidate: () => false };
}

function requireService<T>(service: T | undefined, name: string): T {
  if (service === undefined) throw new TypeError(`The option ${name} is missing: new Assay({ ${name}: { url, … } }).`);
  return service;
}
