import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../base/api-error.ts';
import { isSameOrigin } from '../../http/same-origin.ts';
import type { SharedSettings } from './service.ts';

export const csrfFailed = () =>
  new ApiError(
    'CSRF_FAILED',
    403,
    'The request came from a page of another site. Open a page of this service and try again.',
  );

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Rejects changes that a page of another site requests. Not needed if the credential is in a header. */
export function rejectCrossSite(request: FastifyRequest, publicOrigins: readonly string[]): void {
  if (!SAFE_METHODS.has(request.method) && !isSameOrigin(request, publicOrigins)) throw csrfFailed();
}

/** The origins of a service's pages besides that of the listener. */
export const publicOriginsOf = (shared: SharedSettings, publicUrl: string | undefined): readonly string[] =>
  publicUrl === undefined ? shared.publicOrigins : [...shared.publicOrigins, new URL(publicUrl).origin];
