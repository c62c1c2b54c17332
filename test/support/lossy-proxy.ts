import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

export interface LossyProxy {
  readonly url: string;
  /** Breaks the connection of every transaction at its commit; `lostCommit` sets the server's behaviour. */
  dropsCommits: boolean;
  /** The server commits immediately (default), after {@link LATE_COMMIT_DELAY_MS}, or never. */
  lostCommit: 'at-once' | 'late' | 'never';
  claimResponseDelayMs: number;
  /** Also applies if the client closes its connection meanwhile. */
  claimRequestDelayMs: number;
  close(): void;
}

/** The statement `commit`, and the name of a statement that commits by itself. */
const COMMIT_STATEMENTS = ['commit\0', 'insert-uploads\0'];
/** Names in Bind messages. */
const CLAIM_STATEMENTS = ['\0claim\0', '\0advance\0'];
/** Time for a delayed statement to run before its connection ends. */
const GRACE_MS = 500;
export const LATE_COMMIT_DELAY_MS = 500;

/** Runs synchronously without a delay, to keep the order. */
const delay = (ms: number, run: () => void) => void (ms > 0 ? setTimeout(run, ms) : run());

export async function createLossyProxy(url: string): Promise<LossyProxy> {
  const to = new URL(url);
  const server = createServer((client) => {
    const upstream = connect({ host: to.hostname, port: Number(to.port) });
    let loses = false;
    let late = false;
    let answerDelayMs = 0;
    let requestDelayMs = 0;
    client.on('data', (data) => {
      loses = lossy.dropsCommits && COMMIT_STATEMENTS.some((each) => data.includes(each));
      if (loses && lossy.lostCommit !== 'at-once') {
        late = lossy.lostCommit === 'late';
        if (late) setTimeout(() => upstream.end(data), LATE_COMMIT_DELAY_MS);
        client.destroy();
        return;
      }
      const claims = CLAIM_STATEMENTS.some((name) => data.includes(name));
      answerDelayMs = claims ? lossy.claimResponseDelayMs : 0;
      requestDelayMs = claims ? lossy.claimRequestDelayMs : 0;
      delay(requestDelayMs, () => upstream.write(data));
    });
    upstream.on('data', (answer) => {
      if (loses) client.destroy();
      else delay(answerDelayMs, () => client.write(answer));
    });
    client
      .on('error', () => {})
      .on('close', () => late || delay(requestDelayMs && requestDelayMs + GRACE_MS, () => upstream.destroy()));
    upstream.on('error', () => {}).on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);
  const lossy: LossyProxy = {
    ...{ url: through.href, dropsCommits: false, lostCommit: 'at-once' },
    ...{ claimResponseDelayMs: 0, claimRequestDelayMs: 0 },
    close: () => server.close(),
  };
  return lossy;
}
