/**
 * Aborts on SIGTERM, SIGINT or loss of the supervisor. A second signal kills the process, but not a supervised one: it
 * receives Ctrl-C twice, from the terminal and from its supervisor, so only a lost supervisor kills it.
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  // Not `process.channel`, which is already gone if the supervisor died while this process was loading.
  const supervised = process.send !== undefined;
  const stop = () => controller.abort();
  const stopOrKill = () => {
    if (controller.signal.aborted) killSelf();
    stop();
  };
  process.on('SIGTERM', supervised ? stop : stopOrKill);
  process.on('SIGINT', supervised ? stop : stopOrKill);
  if (supervised) {
    if (!process.connected) stop();
    process.once('disconnect', stopOrKill);
    // The channel must not keep the process alive.
    process.channel?.unref();
  }
  return controller.signal;
}

/** Unlike `process.exit`, does not wait for threads in native code or unload their libraries. */
export function killSelf(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('The process has been killed.');
}
