import type { Failure } from '../../tasks/task.ts';

/** Why a recording has no text: a closed table. Sentences name no address and no internal. */
const failure = (code: string, sentence: string): Failure => ({ code, sentence });

const FORMATS = 'WAV, MP3, M4A or MP4, AAC, OGG, Opus, FLAC, WebM, AMR';

export const FAILURES = {
  fetchFailed: failure('AUDIO_FETCH_FAILED', 'The recording could not be downloaded from its host.'),
  notFound: failure('AUDIO_NOT_FOUND', 'There is no recording at this address.'),
  tooLarge: failure('AUDIO_TOO_LARGE', 'The recording is larger than the limit of 1 GiB.'),
  tooLong: failure('AUDIO_TOO_LONG', 'The recording is longer than the limit of 4 hours.'),
  unsupported: failure('AUDIO_UNSUPPORTED', `The file is not a recording of a supported format (${FORMATS}).`),
  noSound: failure('AUDIO_UNSUPPORTED', 'The file has no sound track.'),
  protected: failure('AUDIO_UNSUPPORTED', 'The recording is protected against copying and cannot be read.'),
  corrupt: failure('AUDIO_CORRUPT', 'The recording is damaged or incomplete.'),
  blocked: failure('AUDIO_BLOCKED', 'The address of the recording leads to a place that may not be reached.'),
  providerFailed: failure('PROVIDER_FAILED', 'The speech engine could not transcribe this recording.'),
  providerQuota: failure('PROVIDER_QUOTA', 'The budget of the speech provider is spent.'),
} as const;
