import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { EngineFiles } from './engine.ts';
import { openEngines } from './engines.ts';
import { findInstalledFolder, verifyModelFiles } from './installed-models.ts';
import { requireSpeechModel, type SpeechManifest } from './model-list.ts';
import { type Recognizer, RecognizerError, type Segment, type Window } from './recognizer.ts';

/**
 * Opens a local model by name (see `assay models list`) in threads of its own, after verifying its files. Throws an
 * OperatorError for an unknown name and for missing or modified files.
 */
export async function openRecognizer(
  name: string,
  { dataDir, cores = availableParallelism() }: { dataDir: string; cores?: number },
): Promise<Recognizer> {
  const manifest = requireSpeechModel(name);
  const files = await verifyModelFiles(manifest, dataDir);
  const parallel = Math.min(cores, (await modelBytes(manifest, dataDir)) > MAX_BYTES_OF_TWO ? 1 : 2);
  const engines = await openEngines(files, { parallel, threads: threadsOf(cores, parallel) });
  return {
    name: 'local',
    model: name,
    windowSeconds: manifest.windowSeconds,
    maxPauseSeconds: hasWordTimes(files) ? undefined : MAX_PAUSE_SECONDS_BY_LENGTH,
    parallel,
    async recognize(window, { language, translate, vocabulary = [], signal }) {
      if (language !== undefined && manifest.languages?.includes(language) === false) {
        throw new RecognizerError(`${name} does not support the language ${language}.`);
      }
      if (translate && manifest.translates !== true) throw new RecognizerError(`${name} cannot translate.`);
      try {
        // Copied: another recognizer may use the window afterwards.
        const terms = vocabulary.flatMap(({ term, spoken = [] }) => [term, ...spoken]);
        const request = { samples: window.samples.slice(), language, translate, terms };
        return toRecordingTimes(await engines.recognize(request, signal), window);
      } catch (error) {
        signal.throwIfAborted();
        throw new RecognizerError(`${name}: ${error instanceof Error ? error.message : String(error)}`, {
          transient: true,
          cause: error,
        });
      }
    },
    close: () => engines.close(),
  };
}

/** Moonshine has no timestamps. */
const hasWordTimes = (files: EngineFiles) => !(files.runs === 'sherpa' && 'moonshine' in files.model);
// The sentences of a window share its time by their length, and so the pauses between them.
const MAX_PAUSE_SECONDS_BY_LENGTH = 2;

/** Each engine has its own copies of the weights. */
const MAX_BYTES_OF_TWO = 150e6;

// One engine leaves a core for the caller; beyond four threads a window gains little.
const threadsOf = (cores: number, engines: number): number =>
  Math.max(1, Math.min(4, engines > 1 ? Math.floor(cores / engines) : cores - 1));

async function modelBytes(manifest: SpeechManifest, dataDir: string): Promise<number> {
  const folder = findInstalledFolder(manifest, dataDir)!;
  const sizes = await Promise.all(Object.keys(manifest.files).map((file) => stat(join(folder, file))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

/** Converts window times to recording times, clamped to the window. */
function toRecordingTimes(segments: readonly Segment[], { start, end }: Window): Segment[] {
  const at = (seconds: number) => Math.min(end, Math.max(start, start + seconds));
  return segments.map((segment) => ({
    ...segment,
    start: at(segment.start),
    end: at(segment.end),
    ...(segment.words && {
      words: segment.words.map((word) => ({ ...word, start: at(word.start), end: at(word.end) })),
    }),
  }));
}
