import { Catalog } from './catalog.ts';
import { type Clock, systemClock } from './clock.ts';
import { Defectoscopy } from './defectoscopy.ts';
import { type Credential, type Line, openLine } from './line.ts';
import type { Polling } from './pace.ts';
import { Passports } from './passports.ts';
import { exchangedFor } from './passports-token.ts';
import { Stt } from './stt.ts';

export type { Bytes } from './bytes.ts';
export type * from './catalog.ts';
export type { Clock } from './clock.ts';
export type * from './defectoscopy.ts';
export * from './errors.ts';
export type { WaitOptions } from './follow.ts';
export type { Polling } from './pace.ts';
export type * from './passports.ts';
export type { CallOptions } from './request.ts';
export type * from './stt.ts';
export type { CreateOptions, TaskHandle, UploadedFile, WebhookKey, WebhookKeys } from './tasks.ts';
export { type GivenHeaders, type VerifyOptions, verifyWebhook, type WebhookEvent } from './webhook.ts';
export type * from './wire/catalog.ts';
export type * from './wire/defectoscopy.ts';
export type * from './wire/passports.ts';
export type * from './wire/stt.ts';

/** Where a service is and what opens it. */
export interface TokenService {
  /** Its base address, like `https://photos.example.com`. */
  readonly url: string;
  /** Absent where the service asks nobody for one. */
  readonly token?: string | undefined;
}

export interface KeyService {
  readonly url: string;
  /** Exchanged for a token when one is needed. */
  readonly apiKey?: string | undefined;
  /** In its place, a token that somebody else has exchanged it for: good until its time is over. */
  readonly token?: string | undefined;
}

export interface AssayOptions {
  readonly defectoscopy?: TokenService | undefined;
  readonly stt?: TokenService | undefined;
  readonly passports?: KeyService | undefined;
  /** Search and reports; the token is a reader's or a moderator's. */
  readonly catalog?: TokenService | undefined;
  /** How often tasks are asked about; `local` is for services on the same machine. Absent: `specification`. */
  readonly polling?: Polling | undefined;
  /** How often a call is tried again where that is safe. Absent: 3. */
  readonly retries?: number | undefined;
  /** For one request, beside what it uploads. Absent: 60. */
  readonly timeoutSeconds?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly clock?: Clock | undefined;
}

/** The services of one installation. Each has a base address of its own, and only those that were named can be used. */
export class Assay {
  readonly #defectoscopy: Defectoscopy | undefined;
  readonly #stt: Stt | undefined;
  readonly #passports: Passports | undefined;
  readonly #catalog: Catalog | undefined;

  constructor(options: AssayOptions) {
    const { defectoscopy, stt, passports, catalog, polling = 'specification', clock = systemClock } = options;
    const line = (url: string, credential?: Credential): Line =>
      openLine({
        url,
        ...(credential && { credential }),
        clock,
        // Looked up at each call: whoever replaces the global one means this client too.
        fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
        retries: options.retries ?? 3,
        timeoutSeconds: options.timeoutSeconds ?? 60,
      });
    if (defectoscopy)
      this.#defectoscopy = new Defectoscopy(line(defectoscopy.url, bearer(defectoscopy.token)), polling);
    if (stt) this.#stt = new Stt(line(stt.url, bearer(stt.token)), polling);
    if (passports) {
      const { url, apiKey, token } = passports;
      const key = apiKey === undefined ? bearer(token) : exchangedFor(apiKey, { line: line(url), clock });
      this.#passports = new Passports(line(url, key), polling);
    }
    if (catalog) this.#catalog = new Catalog(line(catalog.url, bearer(catalog.token)));
  }

  /** Photos of surfaces. */
  get defectoscopy(): Defectoscopy {
    return named(this.#defectoscopy, 'defectoscopy');
  }

  /** Recordings. */
  get stt(): Stt {
    return named(this.#stt, 'stt');
  }

  /** Technical passports. */
  get passports(): Passports {
    return named(this.#passports, 'passports');
  }

  /** What came out, to be found again; reports. */
  get catalog(): Catalog {
    return named(this.#catalog, 'catalog');
  }
}

function bearer(token: string | undefined): Credential | undefined {
  return token === undefined ? undefined : { token: async () => token, renews: () => false };
}

function named<T>(service: T | undefined, name: string): T {
  if (service === undefined) throw new TypeError(`new Assay({ ${name}: { url, … } }) names no address of ${name}.`);
  return service;
}
