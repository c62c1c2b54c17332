/** Who asks: may everything, may read and report, or nobody who has shown anything good. */
export type Role = 'moderator' | 'reader';

export interface Visitor {
  readonly role: Role;
  /** A token's short name, or `address:` and a digest where everybody may read. */
  readonly principal: string;
  /** How it is known: by a program's header, by a browser's cookie, or because everybody may come in. */
  readonly by: 'header' | 'cookie' | 'open';
}

declare module 'fastify' {
  interface FastifyRequest {
    /** On routes that are not public. */
    reader: Visitor | null;
  }
}
