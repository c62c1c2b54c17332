import { callOpenly, Refusal } from './api.ts';
import { byId, fill } from './dom.ts';

interface Ready {
  readonly worker_state: 'warm' | 'cold' | 'unknown';
  readonly queue_depth: number;
}

type Texts = Readonly<Record<'warm' | 'busy' | 'cold' | 'unknown' | 'down' | 'offline', string>>;

/** Our own files are among those in the queue; a few are no news. */
const WORTH_A_WORD = 5;
const LOOK_EVERY_MS = 15_000;

/** Says in a sentence whether a file would be worked on now. Answers what it last saw. */
export function openModelLine(texts: Texts): { isWarm(): boolean; look(): Promise<void> } {
  const line = byId('model');
  let warm = false;

  function say(state: string, sentence: string): void {
    line.hidden = false;
    line.dataset['state'] = state;
    const says = byId('model-says');
    if (says.textContent !== sentence) says.textContent = sentence;
  }

  async function look(): Promise<void> {
    try {
      const { worker_state: state, queue_depth: depth } = await callOpenly<Ready>('ready', {});
      warm = state === 'warm';
      const busy = warm && depth > WORTH_A_WORD;
      say(state, busy ? fill(texts.busy, { count: depth }) : texts[state]);
    } catch (error) {
      warm = false;
      say('down', error instanceof Refusal && error.status === 0 ? texts.offline : texts.down);
    }
  }

  void look();
  setInterval(() => {
    if (!document.hidden) void look();
  }, LOOK_EVERY_MS);
  return { isWarm: () => warm, look };
}
