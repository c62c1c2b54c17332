import type { OutageListener } from '../client/connection.ts';
import { CLEAR_LINE, onOneLine } from './terminal.ts';

/** Says on standard error that the connection is lost, and when it is restored: once for tasks that wait at the same time. */
export function createOutageNotice(): OutageListener {
  let isLost = false;
  const print = (text: string) => console.error(`${process.stderr.isTTY ? CLEAR_LINE : ''}${onOneLine(text)}`);
  return (error) => {
    if (error && !isLost) print(`Connection lost, retrying: ${error.message}`);
    else if (!error && isLost) print('Connection restored.');
    isLost = error !== undefined;
  };
}
