import type { OutageListener } from '../client/connection.ts';
import { CLEAR_LINE, onOneLine } from './terminal.ts';

/** Says on standard error that requests fail, and when they succeed again: once for tasks that wait at the same time. */
export function createOutageNotice(): OutageListener {
  let lostWaits = 0;
  const print = (text: string) => console.error(`${process.stderr.isTTY ? CLEAR_LINE : ''}${onOneLine(text)}`);
  return (error) => {
    if (error) {
      if (++lostWaits === 1) print(`Request failed, retrying: ${error.message}`);
    } else if (lostWaits > 0 && --lostWaits === 0) print('Requests succeed again.');
  };
}
