import { byId, fill } from '../../../ui/browser/dom.ts';
import { createPlayer } from '../../../ui/browser/player.ts';
import type { Formatters } from './formatters.ts';
import type { TranscriptionJob } from './transcription-job.ts';

/** Browsers report the time of a playing recording at least every 250 ms. Chosen: twice as long. */
const MAX_LATE_SECONDS = 0.5;

export function createJobPlayer(words: Formatters, onMoment: (seconds: number, playing: boolean) => void) {
  const { texts } = words;
  let current: TranscriptionJob | undefined;
  /** The preview of `current`, which an earlier task gets later. */
  let loaded: string | undefined;
  /** Where the playback of a segment ends. */
  let stopAt: number | undefined;
  /** The argument of the `toggle` that has paused the recording. */
  let pausedWith: number | undefined;
  const { audio, playFrom } = createPlayer(
    (seconds, playing) => {
      stopAtEnd();
      onMoment(seconds, playing);
    },
    (notice) => {
      notice.textContent = current ? fill(texts.noPlayer, { name: current.name }) : '';
    },
  );
  // A hidden page gets no animation frames.
  audio.addEventListener('timeupdate', stopAtEnd);
  audio.addEventListener('pause', () => {
    stopAt = undefined;
  });
  audio.addEventListener('play', () => {
    pausedWith = undefined;
  });

  function stopAtEnd(): void {
    if (stopAt === undefined || audio.currentTime < stopAt) return;
    // The user has moved on in the recording.
    if (audio.currentTime > stopAt + MAX_LATE_SECONDS) stopAt = undefined;
    else audio.pause();
  }

  const choose = byId<HTMLInputElement>('choose-recording');
  choose.addEventListener('change', () => {
    const [file] = choose.files ?? [];
    if (!current || !file) return;
    current.preview = URL.createObjectURL(file);
    load(current);
  });

  function load({ name, preview }: TranscriptionJob): void {
    loaded = preview;
    stopAt = undefined;
    pausedWith = undefined;
    audio.setAttribute('aria-label', fill(texts.player, { name }));
    audio.hidden = preview === undefined;
    byId('playback-error').hidden = true;
    if (preview !== undefined) {
      audio.src = preview;
      return;
    }
    // Without `load`, the previous recording would go on.
    audio.removeAttribute('src');
    audio.load();
  }

  return {
    show(job: TranscriptionJob): void {
      byId('player').hidden = false;
      byId('recording-missing').hidden = !job.isFileMissing;
      if (job === current && job.preview === loaded) return;
      current = job;
      load(job);
    },
    playFrom(seconds: number): void {
      stopAt = undefined;
      playFrom(seconds);
    },
    /** Stops at the end of the range. */
    playRange({ start, end }: { readonly start: number; readonly end: number }): void {
      stopAt = end;
      playFrom(start);
    },
    position: () => audio.currentTime,
    seek(seconds: number): void {
      stopAt = undefined;
      pausedWith = undefined;
      audio.currentTime = seconds;
    },
    /** Pauses, or plays from there; after a pause with the same time, continues. */
    toggle(seconds: number): void {
      stopAt = undefined;
      if (audio.paused) {
        playFrom(seconds === pausedWith ? audio.currentTime : seconds);
        return;
      }
      pausedWith = seconds;
      audio.pause();
    },
  };
}

export type JobPlayer = ReturnType<typeof createJobPlayer>;
