/** One validation error in the format of pydantic 2. */
export interface Detail {
  /** Location: `body`, `query`, `path`, `header` or `cookie`, then the keys. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  /** Omitted if missing, large, or possibly a secret. */
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** A request that matches its schema but is invalid; results in 422. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
  readonly details: readonly Detail[];

  constructor(details: readonly Detail[]) {
    super(details[0]?.msg ?? 'The input is not valid');
    this.details = details;
  }
}

export const missingField = (loc: Detail['loc']): Detail => ({ loc, msg: 'Field required', type: 'missing' });
