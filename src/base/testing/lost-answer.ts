import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** A proxy to a database that loses or delays answers. */
export interface Lossy {
  readonly url: string;
  /** While it is true, the connection of every transaction breaks at its commit; `lostCommit` says what the server does. */
  losesCommits: boolean;
  /** The server commits at once (the default), commits {@link LATE_MS} later, or never gets the commit. */
  lostCommit: 'at-once' | 'late' | 'never';
  /** Statements that claim tasks are carried out at once, and their answers arrive this much later. */
  claimAnswersDelayMs: number;
  /** Statements that claim tasks arrive this much later, also when the client has closed its connection meanwhile. */
  claimRequestsDelayMs: number;
  close(): void;
}

/** What commits: the statement `commit`, and one by this name that is a transaction of its own. */
const COMMITS = ['commit\0', 'keep-upload\0'];
/** Prepared statements that claim, as a Bind message names them. */
const CLAIMS = ['\0claim\0', '\0advance\0'];
/** Time for a statement that arrived late to be carried out before its connection ends. */
const SPARE_MS = 500;
/** How much later a late commit arrives. */
export const LATE_MS = 500;

/** At once where there is no delay, so that nothing is overtaken. */
const later = (ms: number, run: () => void) => void (ms > 0 ? setTimeout(run, ms) : run());

export async function lossyWayTo(url: string): Promise<Lossy> {
  const to = new URL(url);
  const server = createServer((near) => {
    const far = connect({ host: to.hostname, port: Number(to.port) });
    let loses = false;
    let late = false;
    let answerDelayMs = 0;
    let requestDelayMs = 0;
    near.on('data', (asked) => {
      loses = lossy.losesCommits && COMMITS.some((each) => asked.includes(each));
      if (loses && lossy.lostCommit !== 'at-once') {
        late = lossy.lostCommit === 'late';
        if (late) setTimeout(() => far.end(asked), LATE_MS);
        near.destroy();
        return;
      }
      const claims = CLAIMS.some((name) => asked.includes(name));
      answerDelayMs = claims ? lossy.claimAnswersDelayMs : 0;
      requestDelayMs = claims ? lossy.claimRequestsDelayMs : 0;
      later(requestDelayMs, () => far.write(asked));
    });
    far.on('data', (answer) => {
      if (loses) near.destroy();
      else later(answerDelayMs, () => near.write(answer));
    });
    near
      .on('error', () => {})
      .on('close', () => late || later(requestDelayMs && requestDelayMs + SPARE_MS, () => far.destroy()));
    far.on('error', () => {}).on('close', () => near.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);
  const lossy: Lossy = {
    ...{ url: through.href, losesCommits: false, lostCommit: 'at-once' },
    ...{ claimAnswersDelayMs: 0, claimRequestsDelayMs: 0 },
    close: () => server.close(),
  };
  return lossy;
}
