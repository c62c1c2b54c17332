/**
 * Aborts when the process is asked to stop: SIGTERM, SIGINT, or the loss of the parent that started it (a child of the
 * supervisor has a channel to it). Asked a second time, the process ends at once.
 */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  const ask = () => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  };
  process.on('SIGTERM', ask);
  process.on('SIGINT', ask);
  if (process.channel) {
    process.once('disconnect', () => stop.abort());
    // The channel is there to be lost; it is no reason to stay alive.
    process.channel.unref();
  }
  return stop.signal;
}
