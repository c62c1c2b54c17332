/** A stretch of a recording, cut at a pause where there is one, that goes to a recognizer in one piece. */
export interface Window {
  /** Where it begins and ends in the recording, in seconds. */
  readonly start: number;
  readonly end: number;
  /** Mono, 16 000 samples a second, -1..1. */
  readonly samples: Float32Array;
}

export interface Word {
  readonly text: string;
  /** Seconds from the beginning of the recording. */
  readonly start: number;
  readonly end: number;
  /** 0..1; absent where the engine gives none. */
  readonly confidence?: number;
}

/** What was said in one window. */
export interface Segment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** ISO 639-1, where the engine says or was told. */
  readonly language?: string;
  /** Absent where the engine gives no word times. */
  readonly words?: readonly Word[];
}

/**
 * An engine that turns windows of sound into text, one window at a time: in this process (in a thread of its own) or at
 * a provider's. Which one produced a text is told by its `name`.
 */
export interface Recognizer {
  /** The public name, as `result.service` tells it: `local`, or what the operator calls a provider. */
  readonly name: string;
  /** What computes, for the heartbeat and the docs: `whisper-base`, `moonshine-base`… */
  readonly model: string;
  /** The longest window that it takes. */
  readonly windowSeconds: number;
  /**
   * Segments in order, empty where nothing was said. `language` is ISO 639-1, or absent: the engine finds out. Rejects
   * with `RecognizerFailed` when it cannot, with the signal's reason when told to stop.
   */
  recognize(
    window: Window,
    options: { language?: string | undefined; signal: AbortSignal },
  ): Promise<readonly Segment[]>;
  close(): Promise<void>;
}

/** Why a recognizer gave no text: it broke or is out of reach (`failed`), or its owner's budget is spent (`quota`). */
export class RecognizerFailed extends Error {
  override readonly name = 'RecognizerFailed';
  readonly why: 'failed' | 'quota';
  /** Whether another attempt may go better. */
  readonly transient: boolean;

  constructor(message: string, options: { why?: 'failed' | 'quota'; transient?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.why = options.why ?? 'failed';
    this.transient = options.transient ?? false;
  }
}
