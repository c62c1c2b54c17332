import { byId, fill } from './dom.ts';
import { RequestError, request } from './requests.ts';

interface Ready {
  readonly worker_state: 'warm' | 'cold' | 'unknown';
  readonly queue_depth: number;
}

type Texts = Readonly<Record<'warm' | 'busy' | 'cold' | 'unknown' | 'down' | 'offline', string>>;

/** The queue includes the jobs of this page, so short queues are not reported. */
const MIN_REPORTED_QUEUE = 5;
const REFRESH_INTERVAL_MS = 15_000;

export function createWorkerStatus(texts: Texts): { isWarm(): boolean; refresh(): Promise<void> } {
  const line = byId('model');
  let warm = false;

  function show(state: string, sentence: string): void {
    line.hidden = false;
    line.dataset['state'] = state;
    const element = byId('model-status');
    if (element.textContent !== sentence) element.textContent = sentence;
  }

  async function refresh(): Promise<void> {
    try {
      const { worker_state: state, queue_depth: depth } = (await request<{ data: Ready }>('ready')).data;
      warm = state === 'warm';
      const busy = warm && depth > MIN_REPORTED_QUEUE;
      show(state, busy ? fill(texts.busy, { count: depth }) : texts[state]);
    } catch (error) {
      warm = false;
      show('down', error instanceof RequestError && error.status === 0 ? texts.offline : texts.down);
    }
  }

  void refresh();
  setInterval(() => {
    if (!document.hidden) void refresh();
  }, REFRESH_INTERVAL_MS);
  return { isWarm: () => warm, refresh };
}
