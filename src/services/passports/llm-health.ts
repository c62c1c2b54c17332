export interface LlmState {
  readonly status: 'ok' | 'error' | 'unconfigured';
  readonly provider: string;
  /** Error message without keys and addresses. */
  readonly error: string | null;
}

export interface LlmHealth {
  check(): Promise<LlmState>;
}

const UNCONFIGURED: LlmState = { status: 'unconfigured', provider: 'none', error: null };
const CACHE_MS = 30_000;

/** The error messages of `probe` are shown to clients. */
export function watchLlm(
  configured: { provider: string; probe: () => Promise<void> } | undefined,
  now: () => number = () => performance.now(),
): LlmHealth {
  if (configured === undefined) return { check: async () => UNCONFIGURED };
  const { provider, probe } = configured;
  let last: { at: number; state: Promise<LlmState> } | undefined;

  async function runProbe(): Promise<LlmState> {
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
