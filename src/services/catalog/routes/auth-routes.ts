import type { FastifyRequest } from 'fastify';
import { wantsJson } from '../../../http/accept-header.ts';
import { CLEAR_CACHE } from '../../../http/clear-site-data.ts';
import { acceptForms, type Form } from '../../../http/forms.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { InvalidInput, missingField } from '../../../http/validation-details.ts';
import { FROM_LINK } from '../../../ui/login-form.tsx';
import { rejectCrossSite } from '../../shared/same-site.ts';
import { databaseUnavailable, invalidToken } from '../api-errors.ts';
import type { AuthGuard } from '../auth/auth-guard.ts';
import type { SessionCookie } from '../auth/cookies.ts';
import type { Tokens } from '../auth/tokens.ts';

export async function authRoutes(
  app: Gateway,
  deps: { tokens: Tokens; cookies: SessionCookie; guard: AuthGuard; publicOrigins: readonly string[] },
): Promise<void> {
  const { tokens, cookies, guard, publicOrigins } = deps;

  await app.register(async (scope) => {
    await acceptForms(scope);
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, scope.getDefaultJsonParser('error', 'error'));

    scope.post(
      '/login',
      { config: { access: 'public', limited: true, page: true, takes: 'a form or JSON' }, schema: { hide: true } },
      async (request, reply) => {
        // Prevents login CSRF: another site must not sign a user in with its own token.
        rejectCrossSite(request, publicOrigins);
        const fields = fieldsOf(request);
        const token = fields.get('token')?.trim();
        if (!token) throw new InvalidInput([missingField(['body', 'token'])]);
        const replacesSession = fields.has(FROM_LINK) && guard.identify(request)?.by === 'cookie';
        if (replacesSession) return reply.redirect('/login', 303);
        const holder = tokens.find(token);
        if (holder === undefined) throw tokens.isComplete() ? invalidToken() : databaseUnavailable();
        cookies.set(request, reply, token);
        void reply.header('cache-control', 'no-store');
        if (wantsJson(request.headers.accept)) return { status: 'ok', role: holder.role };
        return reply.redirect(safeRedirect(fields.get('back')), 303);
      },
    );

    scope.post(
      '/logout',
      { config: { access: 'visitor', page: true, takes: 'a form or JSON' }, schema: { hide: true } },
      async (request, reply) => {
        if (request.body instanceof Map) guard.checkForm(request, request.body);
        cookies.clear(request, reply);
        void reply.headers(CLEAR_CACHE);
        if (wantsJson(request.headers.accept)) return { status: 'ok' };
        return reply.redirect('/login', 303);
      },
    );
  });
}

function fieldsOf({ body }: FastifyRequest): Form {
  if (body instanceof Map) return body as Form;
  const members = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  return new Map(members.filter((member): member is [string, string] => typeof member[1] === 'string'));
}

/** Prevents open redirects. */
function safeRedirect(back: string | undefined): string {
  if (back === undefined || !/^\/(?![/\\])[!-~]{0,2000}$/.test(back) || back.includes('\\')) return '/';
  const { origin, pathname, search } = new URL(back, 'http://own.invalid');
  // Dot segments are resolved now: a leading `//` would name another host.
  return origin === 'http://own.invalid' && !pathname.startsWith('//') ? pathname + search : '/';
}
