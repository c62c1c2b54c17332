import { readSettings } from '../../base/settings.ts';
import { loadConfig } from '../../config.ts';
import { findInstalledFolder } from '../../ml/speech/installed-models.ts';
import { requireSpeechModel, type SpeechManifest } from '../../ml/speech/model-list.ts';
import { settings } from '../../services/stt/settings.ts';
import { installModel } from '../models.ts';
import { statusLine } from '../terminal.ts';
import { measurementLines, measurementsAsJson } from './format-measurements.ts';
import { type Measurement, measureModel } from './measure.ts';
import { bundledRecordings, findRecordings, type Recording } from './recordings.ts';

export interface TryModelOptions {
  readonly folder?: string;
  readonly json?: boolean;
}

/** `assay models try NAME`: the word errors, speed and memory of a speech model beside those of the current model. */
export async function tryModel(
  name: string,
  { folder, json = false }: TryModelOptions,
  signal: AbortSignal,
): Promise<void> {
  const { shared } = await loadConfig(process.env, 'config');
  const { dataDir } = shared;
  const manifest = requireSpeechModel(name);
  const { model: currentName } = readSettings({ model: settings.model }, process.env);
  const own = folder === undefined ? { recordings: [], skipped: [] } : await findRecordings(folder);
  const recordings = [...(await bundledRecordings()), ...own.recordings];
  if (findInstalledFolder(manifest, dataDir) === undefined) {
    await installModel(manifest, { shared, signal, out: process.stderr });
  }

  const current = requireSpeechModel(currentName);
  const isCurrentInstalled = findInstalledFolder(current, dataDir) !== undefined;
  const measurements: Measurement[] = [];
  const line = statusLine(process.stderr);
  for (const each of isCurrentInstalled && currentName !== name ? [current, manifest] : [manifest]) {
    const known = recordings.filter((recording) => isKnownLanguage(each, recording));
    const onProgress = (done: number) => line.show(`${each.name}: ${done} of ${known.length} recordings`);
    onProgress(0);
    measurements.push(await measureModel(each.name, known, { dataDir, signal, onProgress }).finally(line.clear));
  }

  const text = json
    ? JSON.stringify(measurementsAsJson(measurements, { current: currentName, skipped: own.skipped }), null, 2)
    : measurementLines(measurements, currentName).join('\n');
  process.stdout.write(`${text}\n`);
  for (const message of remarks(measurements, own.skipped)) console.error(message);
  if (!isCurrentInstalled) console.error(`The current model ${currentName} is not installed.`);
  if (measurements.some(({ results }) => results.some((result) => 'broken' in result))) process.exitCode = 1;
}

const isKnownLanguage = ({ languages }: SpeechManifest, { language }: Recording): boolean =>
  language === undefined || languages === undefined || languages.includes(language);

function remarks(measurements: readonly Measurement[], skipped: readonly string[]): string[] {
  const broken = new Set(
    measurements.flatMap(({ model, results }) =>
      results.flatMap((result) => ('broken' in result ? `${result.recording.name} (${model}): ${result.broken}` : [])),
    ),
  );
  if (skipped.length === 0) return [...broken];
  return [
    ...broken,
    `Skipped without a text file beside them: ${skipped.length} (${skipped.slice(0, 5).join(', ')}${skipped.length > 5 ? ', …' : ''}).`,
  ];
}
