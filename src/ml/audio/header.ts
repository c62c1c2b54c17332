/** What a file says of itself before anything is decoded. */
export interface Header {
  /** Seconds. */
  readonly duration?: Duration;
  readonly sampleRate?: number;
  readonly channels?: number;
  /** Of an Ogg file: how its sound is coded. */
  readonly codec?: 'vorbis' | 'opus' | 'flac' | 'speex';
  /** Bytes before the sound that no decoder needs to see. */
  readonly skip?: number;
  /** Of an MP4: how many samples its index declares, each number of uncompressed sound among them. */
  readonly samples?: number;
  /** Of an MP4: where its index lies, when it lies behind the sound. */
  readonly index?: { readonly at: number; readonly bytes: number };
}

/** `counted` by whoever wrote the file, so that less sound than that means that a part is missing; else a guess. */
export interface Duration {
  readonly seconds: number;
  readonly counted: boolean;
}

/** Whether so many seconds of so many are too few: the tail of a file may be cut by a second, or by a fiftieth. */
export function isCutOff(heard: number, declared: number): boolean {
  return declared - heard > Math.max(1, declared / 50);
}
