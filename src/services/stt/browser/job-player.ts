import { byId, fill } from '../../../ui/browser/dom.ts';
import { createPlayer } from '../../../ui/browser/player.ts';
import type { Formatters } from './formatters.ts';
import type { TranscriptionJob } from './transcription-job.ts';

export function createJobPlayer(words: Formatters, onMoment: (seconds: number, playing: boolean) => void) {
  const { texts } = words;
  let current: TranscriptionJob | undefined;
  /** The preview of `current`, which an earlier task gets later. */
  let loaded: string | undefined;
  const { audio, playFrom } = createPlayer(onMoment, (notice) => {
    notice.textContent = current ? fill(texts.noPlayer, { name: current.name }) : '';
  });

  const choose = byId<HTMLInputElement>('choose-recording');
  choose.addEventListener('change', () => {
    const [file] = choose.files ?? [];
    if (!current || !file) return;
    current.preview = URL.createObjectURL(file);
    load(current);
  });

  function load({ name, preview }: TranscriptionJob): void {
    loaded = preview;
    audio.setAttribute('aria-label', fill(texts.player, { name }));
    audio.hidden = preview === undefined;
    byId('no-player').hidden = true;
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
      byId('no-recording').hidden = !job.isFileMissing;
      if (job === current && job.preview === loaded) return;
      current = job;
      load(job);
    },
    playFrom,
    position: () => audio.currentTime,
    seek(seconds: number): void {
      audio.currentTime = seconds;
    },
    /** Pauses, or plays from there. */
    toggle(seconds: number): void {
      if (audio.paused) playFrom(seconds);
      else audio.pause();
    },
  };
}

export type JobPlayer = ReturnType<typeof createJobPlayer>;
