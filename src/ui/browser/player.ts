import { byId } from './dom.ts';

export interface Player {
  readonly audio: HTMLAudioElement;
  /** Plays from this second on. */
  playFrom(seconds: number): void;
}

/**
 * Plays what `#audio` has been given, and says several times a second which moment is heard. Where the browser cannot play
 * it, `#no-player` stands in its place.
 */
export function openPlayer(
  onMoment: (seconds: number, playing: boolean) => void,
  onUnplayable: (excuse: HTMLElement) => void = () => {},
): Player {
  const audio = byId<HTMLAudioElement>('audio');
  const excuse = byId('no-player');

  const tell = () => onMoment(audio.currentTime, !audio.paused);
  const tick = () => {
    tell();
    if (!audio.paused && !audio.ended) requestAnimationFrame(tick);
  };
  const fail = () => {
    onUnplayable(excuse);
    excuse.hidden = false;
    audio.hidden = true;
  };
  audio.addEventListener('play', tick);
  audio.addEventListener('seeked', tell);
  audio.addEventListener('loadedmetadata', () => {
    excuse.hidden = true;
    audio.hidden = false;
    if (audio.duration === Number.POSITIVE_INFINITY) measure(audio);
  });
  audio.addEventListener('error', fail);
  // It may have failed before this script was here.
  if (audio.error !== null) fail();

  return {
    audio,
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
