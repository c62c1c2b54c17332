import { availableParallelism } from 'node:os';
import { OperatorError } from '../../base/operator-error.ts';
import { speechModel, speechModels } from './catalogue.ts';
import type { UtteredSegment } from './engine.ts';
import { openEngineThread } from './engine-thread.ts';
import { checkedFiles } from './installed.ts';
import { type Recognizer, RecognizerFailed, type Segment, type Window } from './recognizer.ts';

/**
 * Opens a model of ours by its name (`assay models list` tells them), in a thread of its own; its files are compared
 * with their hashes first. Throws an OperatorError for a name that is none and for files that are absent or others.
 */
export async function openRecognizer(
  name: string,
  { dataDir, threads = THREADS }: { dataDir: string; threads?: number },
): Promise<Recognizer> {
  const manifest = speechModel(name);
  if (!manifest) {
    const names = speechModels().map((model) => model.name);
    throw new OperatorError(`There is no speech model ${name}. There are: ${names.join(', ')}.`);
  }
  const thread = await openEngineThread(await checkedFiles(manifest, dataDir), threads);
  return {
    name: 'local',
    model: name,
    windowSeconds: manifest.windowSeconds,
    async recognize(window, { language, signal }) {
      if (language !== undefined && manifest.languages?.includes(language) === false) {
        throw new RecognizerFailed(`${name} does not understand the language ${language}.`);
      }
      try {
        // The window stays the caller's: another recognizer may want it after this one.
        return placed(await thread.recognize(window.samples.slice(), language, signal), window);
      } catch (error) {
        signal.throwIfAborted();
        throw new RecognizerFailed(`${name}: ${error instanceof Error ? error.message : String(error)}`, {
          transient: true,
          cause: error,
        });
      }
    },
    close: () => thread.close(),
  };
}

// One core is left to whoever hands the windows over; beyond four, one window hardly gains.
const THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));

/** The segments of a window as segments of the recording; no time leaves the window. */
function placed(segments: readonly UtteredSegment[], { start, end }: Window): Segment[] {
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
