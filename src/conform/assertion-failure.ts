import type { Exchange } from './exchange.ts';

/** A failed check: what was expected, and the exchange with the actual response. */
export class AssertionFailure extends Error {
  override readonly name = 'AssertionFailure';
  readonly exchange: Exchange | undefined;

  constructor(expected: string, exchange?: Exchange) {
    super(expected);
    this.exchange = exchange;
  }
}

/** The check does not apply to this deployment or these options; the message gives the reason. */
export class Skip extends Error {
  override readonly name = 'Skip';
}

export function skip(reason: string): never {
  throw new Skip(reason);
}
