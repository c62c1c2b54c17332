import { byId } from './dom.ts';

/** Controls `#audio` and reports the playback position. Shows `#playback-error` if the browser cannot play the file. */
export function createPlayer(
  onMoment: (seconds: number, playing: boolean) => void,
  onUnplayable: (notice: HTMLElement) => void = () => {},
) {
  const audio = byId<HTMLAudioElement>('audio');
  const notice = byId('playback-error');

  const report = () => onMoment(audio.currentTime, !audio.paused);
  const tick = () => {
    report();
    if (!audio.paused && !audio.ended) requestAnimationFrame(tick);
  };
  const fail = () => {
    onUnplayable(notice);
    notice.hidden = false;
    audio.hidden = true;
  };
  audio.addEventListener('play', tick);
  audio.addEventListener('seeked', report);
  audio.addEventListener('loadedmetadata', () => {
    notice.hidden = true;
    audio.hidden = false;
    if (audio.duration === Number.POSITIVE_INFINITY) measure(audio);
  });
  audio.addEventListener('error', fail);
  // The error event may precede this script.
  if (audio.error !== null) fail();

  return {
    audio,
    playFrom(seconds: number): void {
      audio.currentTime = seconds;
      // The browser may block autoplay.
      void audio.play().catch(() => {});
    },
  };
}

/** Recordings made in a browser have no duration until the player seeks to the end. */
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
