import type { OutageListener } from '../client/connection.ts';
import { NetworkProblem } from '../client/index.ts';
import { CLEAR_LINE, onOneLine } from './terminal.ts';

/** Says on standard error that requests fail, and when they succeed again: once for requests that wait at the same time. `hint`: for a server that cannot be reached. */
export function createOutageNotice(hint = ''): OutageListener {
  let lostWaits = 0;
  const print = (text: string) => console.error(`${process.stderr.isTTY ? CLEAR_LINE : ''}${onOneLine(text)}`);
  return (error, hasEnded = error === undefined) => {
    if (hasEnded) {
      if (lostWaits > 0 && --lostWaits === 0 && !error) print('Requests succeed again.');
    } else if (++lostWaits === 1) {
      print(`Request failed, retrying: ${error!.message}${error instanceof NetworkProblem ? hint : ''}`);
    }
  };
}
