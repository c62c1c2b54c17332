/** One thing that is wrong with a request, in the words of pydantic 2, which clients of such bodies know. */
export interface Detail {
  /** Where: `body`, `query`, `path`, `header` or `cookie`, then the keys that lead there. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  /** What was sent; left out where there was nothing, where it is large, and where it may be a secret. */
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** A request that is well-formed to its schema and wrong all the same; answered 422 like one that broke the schema. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
  readonly details: readonly Detail[];

  constructor(details: readonly Detail[]) {
    super(details[0]?.msg ?? 'The input is not valid');
    this.details = details;
  }
}

/** The complaint about something that should have been there. */
export const missing = (loc: Detail['loc']): Detail => ({ loc, msg: 'Field required', type: 'missing' });
