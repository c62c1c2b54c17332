/**
 * Aborts when the process is asked to stop: SIGTERM, SIGINT, or the loss of the supervisor that it is a child of. Asked
 * a second time, the process ends at once. A supervisor's child does not: Ctrl-C reaches it twice, from the terminal and
 * from its supervisor, and only when that one ends first is it time to end at once.
 */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  // Not `process.channel`: a supervisor that died while this process was still loading has taken that away already.
  const supervised = process.send !== undefined;
  const ask = () => stop.abort();
  const askOrEnd = () => {
    if (stop.signal.aborted) endNow();
    ask();
  };
  process.on('SIGTERM', supervised ? ask : askOrEnd);
  process.on('SIGINT', supervised ? ask : askOrEnd);
  if (supervised) {
    if (!process.connected) ask();
    process.once('disconnect', askOrEnd);
    // The channel is there to be lost; it is no reason to stay alive.
    process.channel?.unref();
  }
  return stop.signal;
}

/** Not `process.exit`: it waits for threads that are busy in native code, or takes their libraries from under them. */
export function endNow(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('The process has been killed.');
}
