export interface LlmStatus {
  readonly status: 'ok' | 'error' | 'unconfigured';
  readonly provider: string;
  /** Error message without keys and addresses. */
  readonly error: string | null;
}

export type LlmHealth = ReturnType<typeof createLlmHealth>;

const UNCONFIGURED: LlmStatus = { status: 'unconfigured', provider: 'none', error: null };
const CACHE_MS = 30_000;

/** The error messages of `probe` are shown to clients. */
export function createLlmHealth(
  configured: { provider: string; probe: () => Promise<void> } | undefined,
  now: () => number = () => performance.now(),
) {
  if (configured === undefined) return { check: async () => UNCONFIGURED };
  const { provider, probe } = configured;
  let last: { at: number; state: Promise<LlmStatus> } | undefined;

  async function runProbe(): Promise<LlmStatus> {
    try {
      await probe();
      return { status: 'ok', provider, error: null };
    } catch (error) {
      return { status: 'error', provider, error: error instanceof Error ? error.message.slice(0, 200) : 'unknown' };
    }
  }

  return {
    check() {
      if (last === undefined || now() - last.at >= CACHE_MS) last = { at: now(), state: runProbe() };
      return last.state;
    },
  };
}
