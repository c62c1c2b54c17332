import type { Exchange } from './exchange.ts';

/** A sentence that does not hold: what was expected, and the exchange in which something else came. */
export class Breach extends Error {
  override readonly name = 'Breach';
  readonly exchange: Exchange | undefined;

  constructor(expected: string, exchange?: Exchange) {
    super(expected);
    this.exchange = exchange;
  }
}

/** A sentence that cannot be seen at this deployment, or not with what was given; the message says why. */
export class Skip extends Error {
  override readonly name = 'Skip';
}

export function skip(reason: string): never {
  throw new Skip(reason);
}
