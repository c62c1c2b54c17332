/** Programs such as `timeout` and `npm` pass on a signal that their process group has received as well. */
const REPEATED_MS = 1000;

/**
 * Aborts on SIGTERM, SIGINT or loss of the supervisor. A second signal, a second later or more, kills the process, but not a supervised
 * one: it receives Ctrl-C twice, from the terminal and from its supervisor, so only a lost supervisor kills it.
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  // Not `process.channel`, which is already gone if the supervisor died while this process was loading.
  const supervised = process.send !== undefined;
  let isSecondFatal = false;
  const stop = () => {
    if (controller.signal.aborted) return;
    // `setImmediate`: a signal that arrived while this thread was busy is handled before it.
    setTimeout(() => setImmediate(() => (isSecondFatal = true)), REPEATED_MS).unref();
    controller.abort();
  };
  const stopOrKill = () => (isSecondFatal ? killSelf() : stop());
  process.on('SIGTERM', supervised ? stop : stopOrKill);
  process.on('SIGINT', supervised ? stop : stopOrKill);
  if (supervised) {
    if (!process.connected) stop();
    process.once('disconnect', () => (controller.signal.aborted ? killSelf() : stop()));
    // The channel must not keep the process alive.
    process.channel?.unref();
  }
  return controller.signal;
}

const killHooks = new Set<() => void>();

/** Runs `hook`, which must not wait, before this process kills itself. Returns a function that takes it back. */
export function beforeKill(hook: () => void): () => void {
  killHooks.add(hook);
  return () => killHooks.delete(hook);
}

/** Unlike `process.exit`, does not wait for threads in native code or unload their libraries. */
export function killSelf(): never {
  for (const hook of killHooks) {
    try {
      hook();
    } catch {
      // The process ends in any case.
    }
  }
  process.kill(process.pid, 'SIGKILL');
  throw new Error('The process has been killed.');
}
