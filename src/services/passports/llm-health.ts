/** What became of the last question to the language model, whether it is there. */
export interface LlmState {
  readonly status: 'ok' | 'error' | 'unconfigured';
  /** `none` where there is none. */
  readonly provider: string;
  /** What is wrong, in words that tell nothing of keys and addresses. */
  readonly error: string | null;
}

export interface LlmHealth {
  check(): Promise<LlmState>;
}

const UNCONFIGURED: LlmState = { status: 'unconfigured', provider: 'none', error: null };
/** However often somebody asks for our health, the provider is asked this often. */
const KEEP_MS = 30_000;

/** Asks by `probe`, which rejects with an Error in words fit for the client; undefined: there is no language model. */
export function watchLlm(
  configured: { provider: string; probe: () => Promise<void> } | undefined,
  now: () => number = () => performance.now(),
): LlmHealth {
  if (configured === undefined) return { check: async () => UNCONFIGURED };
  const { provider, probe } = configured;
  let last: { at: number; state: Promise<LlmState> } | undefined;

  async function ask(): Promise<LlmState> {
    try {
      await probe();
      return { status: 'ok', provider, error: null };
    } catch (error) {
      return { status: 'error', provider, error: error instanceof Error ? error.message.slice(0, 200) : 'unknown' };
    }
  }

  return {
    check() {
      if (last === undefined || now() - last.at >= KEEP_MS) last = { at: now(), state: ask() };
      return last.state;
    },
  };
}
