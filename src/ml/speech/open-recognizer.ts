import { availableParallelism } from 'node:os';
import { OperatorError } from '../../base/operator-error.ts';
import { openEngineThread } from './engine-thread.ts';
import { verifyModelFiles } from './installed-models.ts';
import { findSpeechModel, listSpeechModels } from './model-list.ts';
import { type Recognizer, RecognizerError, type Segment, type Window } from './recognizer.ts';

/**
 * Opens a local model by name (see `assay models list`) in a thread, after verifying its files. Throws an OperatorError
 * for an unknown name and for missing or modified files.
 */
export async function openRecognizer(
  name: string,
  { dataDir, threads = DEFAULT_THREADS }: { dataDir: string; threads?: number },
): Promise<Recognizer> {
  const manifest = findSpeechModel(name);
  if (!manifest) {
    const names = listSpeechModels().map((model) => model.name);
    throw new OperatorError(`Unknown speech model ${name}. Available models: ${names.join(', ')}.`);
  }
  const thread = await openEngineThread(await verifyModelFiles(manifest, dataDir), threads);
  return {
    name: 'local',
    model: name,
    windowSeconds: manifest.windowSeconds,
    async recognize(window, { language, translate, vocabulary = [], signal }) {
      if (language !== undefined && manifest.languages?.includes(language) === false) {
        throw new RecognizerError(`${name} does not support the language ${language}.`);
      }
      if (translate && manifest.translates !== true) throw new RecognizerError(`${name} cannot translate.`);
      try {
        // Copied: another recognizer may use the window afterwards.
        const terms = vocabulary.flatMap(({ term, spoken = [] }) => [term, ...spoken]);
        const request = { samples: window.samples.slice(), language, translate, terms };
        return toRecordingTimes(await thread.recognize(request, signal), window);
      } catch (error) {
        signal.throwIfAborted();
        throw new RecognizerError(`${name}: ${error instanceof Error ? error.message : String(error)}`, {
          transient: true,
          cause: error,
        });
      }
    },
    close: () => thread.close(),
  };
}

// Leaves one core for the caller; beyond four threads a window gains little.
const DEFAULT_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));

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
