/** A stop that is over sooner than this needs no explanation. */
const SOON_MS = 500;

/** Runs `run` until it ends; where that was asked for by `signal`, says that it takes its time, and when it is over. */
export async function withGoodbye(signal: AbortSignal, run: () => Promise<void>): Promise<void> {
  let explaining: NodeJS.Timeout | undefined;
  const explain = () => {
    explaining = setTimeout(() => {
      console.log('Stopping: finishing what has begun (Ctrl-C again to stop at once)…');
    }, SOON_MS);
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
