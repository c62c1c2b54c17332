import { byId, fill } from '../../../ui/browser/dom.ts';
import { openPlayer } from '../../../ui/browser/player.ts';
import type { Hearing } from './hearing.ts';
import type { Words } from './words.ts';

export interface HearingPlayer {
  /** Loads the recording itself, from this machine. */
  show(it: Hearing): void;
  /** Plays from this second on. */
  playFrom(seconds: number): void;
}

/** Plays a recording of this visit, and says several times a second which moment is heard. */
export function openHearingPlayer(words: Words, onMoment: (seconds: number, playing: boolean) => void): HearingPlayer {
  const { texts } = words;
  let shown: Hearing | undefined;
  const { audio, playFrom } = openPlayer(onMoment, (excuse) => {
    excuse.textContent = shown ? fill(texts.noPlayer, { name: shown.file.name }) : '';
  });

  return {
    show(it) {
      byId('player').hidden = false;
      if (it === shown) return;
      shown = it;
      audio.setAttribute('aria-label', fill(texts.player, { name: it.file.name }));
      audio.src = it.preview;
    },
    playFrom,
  };
}
