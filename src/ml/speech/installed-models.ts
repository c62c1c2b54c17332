import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OperatorError } from '../../base/operator-error.ts';
import type { EngineFiles } from './engine.ts';
import type { SpeechManifest } from './model-list.ts';

/** The command that installs a model, as messages show it. */
export const pullCommandLine = (name: string): string => `node scripts/assay.mjs models pull ${name}`;

export const pulledFolder = (dataDir: string, name: string): string => join(dataDir, 'models', 'stt', name);

export const FIRST_SEEN_HASHES_FILE = 'first-seen.json';

/** The folder with all files of the model, pulled files first, then its npm package; undefined if not installed. */
export function findInstalledFolder(manifest: SpeechManifest, dataDir: string): string | undefined {
  const places = [pulledFolder(dataDir, manifest.name)];
  if (manifest.package) {
    const ofPackage = packageFolder(manifest.package.name);
    if (ofPackage !== undefined) places.push(join(ofPackage, manifest.package.folder));
  }
  return places.find((folder) => Object.keys(manifest.files).every((file) => existsSync(join(folder, file))));
}

/** Finds the model's files and verifies their hashes; throws an OperatorError if files are missing or differ. */
export async function verifyModelFiles(manifest: SpeechManifest, dataDir: string): Promise<EngineFiles> {
  const folder = findInstalledFolder(manifest, dataDir);
  if (folder === undefined) {
    const { name } = manifest;
    throw new OperatorError(`The speech model ${name} is not installed. Install it with \`${pullCommandLine(name)}\`.`);
  }
  const seen = await readFirstSeenHashes(folder);
  for (const [file, { sha256 = seen[file] }] of Object.entries(manifest.files)) {
    if (sha256 === undefined) continue;
    const found = await fileSha256(join(folder, file));
    if (found === sha256) continue;
    throw new OperatorError(
      `${join(folder, file)} does not match the model ${manifest.name}: its SHA-256 is ${found}, not ${sha256}.`,
    );
  }
  return engineFiles(manifest, folder, dataDir);
}

async function engineFiles(manifest: SpeechManifest, folder: string, dataDir: string): Promise<EngineFiles> {
  const { engine } = manifest;
  const path = (file: string) => join(folder, file);
  if (engine.runs === 'whisper') return { ...engine, folder };
  const [only, ...others] = manifest.languages ?? [];
  const common = { runs: 'sherpa', ...(only !== undefined && others.length === 0 && { language: only }) } as const;
  if (engine.kind === 'moonshine') {
    const moonshine = { encoder: path(engine.encoder), mergedDecoder: path(engine.mergedDecoder) };
    return { ...common, tokens: await writeTokens(manifest, engine.tokens, dataDir), model: { moonshine } };
  }
  const tokens = path(engine.tokens);
  const isNemo = engine.family !== 'zipformer';
  if (engine.kind === 'ctc') {
    const model = { model: path(engine.model) };
    if (isNemo) return { ...common, tokens, modelType: 'nemo_ctc', model: { nemoCtc: model } };
    return { ...common, tokens, modelType: 'zipformer2_ctc', model: { zipformerCtc: model } };
  }
  const { encoder, decoder, joiner } = engine;
  const transducer = { encoder: path(encoder), decoder: path(decoder), joiner: path(joiner) };
  return { ...common, tokens, modelType: isNemo ? 'nemo_transducer' : 'transducer', model: { transducer } };
}

async function writeTokens(
  manifest: SpeechManifest,
  { package: vocabulary, sha256 }: { package: string; sha256: string },
  dataDir: string,
): Promise<string> {
  const folder = pulledFolder(dataDir, manifest.name);
  const path = join(folder, 'tokens.txt');
  if (existsSync(path) && (await fileSha256(path)) === sha256) return path;
  const { moonshineTokens } = await import('./sherpa/moonshine-tokens.ts');
  const from = packageFolder(manifest.package?.name ?? '') ?? folder;
  const text = await moonshineTokens(pathToFileURL(createRequire(join(from, 'package.json')).resolve(vocabulary)).href);
  const found = createHash('sha256').update(text).digest('hex');
  if (found !== sha256) {
    throw new OperatorError(
      `The vocabulary in the package ${vocabulary} does not match the model ${manifest.name}: the SHA-256 of its tokens is ${found}, not ${sha256}.`,
    );
  }
  await mkdir(folder, { recursive: true });
  // Two workers may generate it at once: each writes a draft, and the last rename wins.
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, path);
  return path;
}

export async function fileSha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(piece as Buffer);
  return hash.digest('hex');
}

export async function readFirstSeenHashes(folder: string): Promise<Record<string, string>> {
  try {
    return JSON.parse(await readFile(join(folder, FIRST_SEEN_HASHES_FILE), 'utf8')) as Record<string, string>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** Resolves like Node but does not load the package: some packages do not export their files. */
function packageFolder(name: string): string | undefined {
  const places = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return places.map((place) => join(place, name)).find((folder) => existsSync(join(folder, 'package.json')));
}
