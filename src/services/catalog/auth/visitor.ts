/** A moderator may do everything; a reader may read and report. */
export type Role = 'moderator' | 'reader';

export interface Visitor {
  readonly role: Role;
  /** The token's principal, or `address:` and a digest with public access. */
  readonly principal: string;
  /** `open`: public access. */
  readonly by: 'header' | 'cookie' | 'open';
}

declare module 'fastify' {
  interface FastifyRequest {
    reader: Visitor | null;
  }
}
