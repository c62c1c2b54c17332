const EXPLAIN_AFTER_MS = 500;

/** After `signal` aborts, prints that the shutdown is in progress and when it is done. */
export async function withShutdownMessage(signal: AbortSignal, run: () => Promise<void>): Promise<void> {
  let explaining: NodeJS.Timeout | undefined;
  const explain = () => {
    explaining = setTimeout(() => {
      console.log('Stopping: finishing the work in progress (press Ctrl-C again to stop at once)…');
    }, EXPLAIN_AFTER_MS);
  };
  signal.addEventListener('abort', explain, { once: true });
  try {
    await run();
  } finally {
    signal.removeEventListener('abort', explain);
    clearTimeout(explaining);
  }
  if (signal.aborted) console.log('Stopped.');
}
