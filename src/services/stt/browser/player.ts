import { byId, fill } from '../../../ui/browser/dom.ts';
import type { Hearing } from './hearing.ts';
import type { Words } from './words.ts';

export interface Player {
  /** Loads the recording itself, from this machine. */
  show(it: Hearing): void;
  /** Plays from this second on. */
  playFrom(seconds: number): void;
}

/** Plays a recording, and says several times a second which moment is heard. */
export function openPlayer(words: Words, onMoment: (seconds: number, playing: boolean) => void): Player {
  const { texts } = words;
  const audio = byId<HTMLAudioElement>('audio');
  const excuse = byId('no-player');
  let shown: Hearing | undefined;

  const tell = () => onMoment(audio.currentTime, !audio.paused);
  const tick = () => {
    tell();
    if (!audio.paused && !audio.ended) requestAnimationFrame(tick);
  };
  audio.addEventListener('play', tick);
  audio.addEventListener('seeked', tell);
  audio.addEventListener('loadedmetadata', () => {
    excuse.hidden = true;
    audio.hidden = false;
    if (audio.duration === Number.POSITIVE_INFINITY) measure(audio);
  });
  audio.addEventListener('error', () => {
    if (!shown) return;
    excuse.textContent = fill(texts.noPlayer, { name: shown.file.name });
    excuse.hidden = false;
    audio.hidden = true;
  });

  return {
    show(it) {
      byId('player').hidden = false;
      if (it === shown) return;
      shown = it;
      audio.setAttribute('aria-label', fill(texts.player, { name: it.file.name }));
      audio.src = it.preview;
    },
    playFrom(seconds) {
      audio.currentTime = seconds;
      // It may be refused, and then the person presses the button of the player.
      void audio.play().catch(() => {});
    },
  };
}

/** What a browser has recorded does not say how long it is: whoever jumps to its end learns it. */
function measure(audio: HTMLAudioElement): void {
  audio.addEventListener(
    'durationchange',
    () => {
      audio.currentTime = 0;
    },
    { once: true },
  );
  audio.currentTime = Number.MAX_SAFE_INTEGER;
}
