import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Csrf } from '../../../http/csrf.ts';
import type { Gateway } from '../../../http/gateway.ts';
import type { RefusalPage } from '../../../http/refuse.ts';
import type { Visitor } from '../access/visitor.ts';
import type { Report, Reports } from '../reports/report.ts';
import type { Queue } from '../routes/report-routes.ts';
import type { Row, Search } from '../search/found.ts';

/** What the pages ask the door (access/door.ts). */
export interface PageDoor {
  /** Who asks where nobody has to say; null for nobody. A credential that is not good counts as none. */
  look(request: FastifyRequest): Promise<Visitor | null>;
  /** What the csrf word of this visitor's forms is made from; undefined where no cookie is the credential. */
  sessionOf(request: FastifyRequest): string | undefined;
  /** Refuses a form of ours that carries no word, or another session's, where a cookie is the credential. */
  checkForm(request: FastifyRequest, form: ReadonlyMap<string, string>): void;
}

/** What the pages ask of saved views (views/views.ts). `query`: as it stands in an address, without `?`. */
export interface PageViews {
  list(owner: string): Promise<readonly { readonly id: string; readonly name: string; readonly query: string }[]>;
  create(owner: string, view: { name: string; query: string }): Promise<unknown>;
  /** False where the owner has no such view. */
  remove(owner: string, id: string): Promise<boolean>;
}

export interface PageNeeds {
  readonly search: Search;
  readonly reports: Reports;
  readonly views: PageViews;
  readonly door: PageDoor;
  readonly csrf: Csrf;
  readonly version: string;
  /** What services call themselves, by name; `import` among them. */
  readonly services: ReadonlyMap<string, string>;
}

export interface Pages {
  readonly refusal: RefusalPage;
  /** `GET /row/{record_id}` for people. */
  row(request: FastifyRequest, reply: FastifyReply, it: { row: Row; reports: readonly Report[] }): Promise<FastifyReply>;
  /** `GET /admin/reports` for people. */
  queue(request: FastifyRequest, reply: FastifyReply, queue: Queue): Promise<FastifyReply>;
}

/**
 * The pages for people, which work without a script: `/`, `/login`, and what their forms are sent to: `POST /report`,
 * `POST /views/new`, `POST /views/{id}/delete`, `POST /admin/reports/{id}`. `POST /login` and `POST /logout` (forms, fields
 * `token` and `back`, a path of ours to go to) are the door's; so is `GET /reset`.
 */
export async function pageRoutes(_app: Gateway, _needs: PageNeeds): Promise<Pages> {
  throw new Error('not yet');
}
