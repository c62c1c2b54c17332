import type { Static } from 'typebox';
import { wantsJson } from '../../../http/accept-header.ts';
import { CLEAR_CACHE } from '../../../http/clear-site-data.ts';
import { describeResponse, errorResponses } from '../../../http/envelope.ts';
import { acceptForms, type Form } from '../../../http/forms.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { InvalidInput, missingField } from '../../../http/validation-details.ts';
import { FROM_LINK } from '../../../ui/login-form.tsx';
import { rejectCrossSite } from '../../shared/same-site.ts';
import { authUnconfigured, databaseUnavailable, invalidApiKey } from '../api-errors.ts';
import { TokenAnswer, TokenRequest } from '../api-schema.ts';
import { matchKey } from '../auth/api-keys.ts';
import type { AuthGuard } from '../auth/auth-guard.ts';
import type { Cookies } from '../auth/cookies.ts';
import type { LiveKeys } from '../auth/live-keys.ts';
import type { Sessions } from '../auth/sessions.ts';
import type { Tokens } from '../auth/tokens.ts';

/** An API key becomes a token for programs, a cookie for people. Both share one rate limit per address. */
export async function authRoutes(
  app: Gateway,
  deps: {
    keys: LiveKeys;
    tokens: Tokens;
    sessions: Sessions;
    cookies: Cookies;
    authGuard: AuthGuard;
    publicOrigins: readonly string[];
  },
): Promise<void> {
  const { keys, tokens, sessions, cookies, authGuard, publicOrigins } = deps;

  app.addHook('onSend', async (request, reply) => authGuard.renewSession(request, reply));

  async function tokenFor(key: string) {
    const entry = matchKey(keys.all(), key);
    if (entry === undefined) throw keys.isComplete() ? invalidApiKey() : databaseUnavailable();
    return tokens.issue(entry);
  }

  app.post<{ Body: Static<typeof TokenRequest> }>(
    '/auth/token',
    {
      config: { access: 'public', limited: true },
      schema: {
        summary: 'Exchange an API key for a token',
        operationId: 'createToken',
        tags: ['access'],
        body: TokenRequest,
        response: {
          200: describeResponse('The token.', TokenAnswer),
          ...errorResponses(invalidApiKey(), authUnconfigured()),
        },
      },
      onRequest: requireApiKeys,
    },
    async (request, reply) => {
      const { token, expiresInSeconds } = await tokenFor(request.body.api_key);
      return reply.header('cache-control', 'no-store').send({ token, expires_in: expiresInSeconds });
    },
  );

  /** Runs before the body is read, because a missing configuration is not the client's error. */
  async function requireApiKeys() {
    if (keys.all().length === 0) throw keys.isComplete() ? authUnconfigured() : databaseUnavailable();
  }

  await app.register(async (scope) => {
    await acceptForms(scope);

    scope.post<{ Body: Form }>(
      '/login',
      {
        config: { access: 'public', limited: true, page: true, takes: 'a form' },
        schema: { hide: true },
        onRequest: requireApiKeys,
      },
      async (request, reply) => {
        // Prevents login CSRF: another site must not sign a user in with its own key.
        rejectCrossSite(request, publicOrigins);
        const key = request.body?.get('api_key');
        if (key === undefined) throw new InvalidInput([missingField(['body', 'api_key'])]);
        if (request.body.has(FROM_LINK) && (await authGuard.identify(request)).tokenSource === 'cookie')
          return reply.redirect('/login', 303);
        const { token, expiresInSeconds } = await tokenFor(key.trim());
        // Always a new session, against session fixation.
        const { cookie } = await sessions.create();
        cookies.setSession(request, reply, cookie);
        cookies.setAccess(request, reply, token, expiresInSeconds);
        void reply.header('cache-control', 'no-store');
        if (wantsJson(request.headers.accept)) return { status: 'ok', expires_in: expiresInSeconds };
        return reply.redirect('/', 303);
      },
    );

    scope.post<{ Body: Form | undefined }>(
      '/logout',
      { config: { access: 'visitor', page: true, takes: 'a form' }, schema: { hide: true } },
      async (request, reply) => {
        authGuard.checkForm(request, request.body ?? new Map());
        const token = request.visitor?.token;
        if (token !== undefined) await sessions.revokeToken(token.jti, token.expiresAt);
        await sessions.end(cookies.read(request).session);
        cookies.clear(request, reply);
        void reply.headers(CLEAR_CACHE);
        if (wantsJson(request.headers.accept)) return { status: 'ok' };
        return reply.redirect('/login', 303);
      },
    );
  });
}
