import { byId, fill } from '../../../ui/browser/dom.ts';
import { openPlayer } from '../../../ui/browser/player.ts';
import type { Hearing } from './hearing.ts';
import type { Words } from './words.ts';

export interface HearingPlayer {
  show(job: Hearing): void;
  playFrom(seconds: number): void;
}

export function openHearingPlayer(words: Words, onMoment: (seconds: number, playing: boolean) => void): HearingPlayer {
  const { texts } = words;
  let current: Hearing | undefined;
  const { audio, playFrom } = openPlayer(onMoment, (notice) => {
    notice.textContent = current ? fill(texts.noPlayer, { name: current.file.name }) : '';
  });

  return {
    show(job) {
      byId('player').hidden = false;
      if (job === current) return;
      current = job;
      audio.setAttribute('aria-label', fill(texts.player, { name: job.file.name }));
      audio.src = job.preview;
    },
    playFrom,
  };
}
