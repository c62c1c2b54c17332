import type { Static } from 'typebox';
import { wantsJson } from '../../../http/accept.ts';
import { CLEAR_CACHE } from '../../../http/clear-site-data.ts';
import { InvalidInput, missing } from '../../../http/details.ts';
import { reply as answer, refusal } from '../../../http/envelope.ts';
import { acceptForms, type Form } from '../../../http/forms.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { fromOwnPage } from '../../../http/same-origin.ts';
import { FROM_LINK } from '../../../ui/login-form.tsx';
import { matchKey } from '../auth/api-keys.ts';
import type { Cookies } from '../auth/cookies.ts';
import type { Door } from '../auth/door.ts';
import type { Keys } from '../auth/keys-now.ts';
import type { Tokens } from '../auth/tokens.ts';
import type { Visits } from '../auth/visits.ts';
import { authUnconfigured, csrfFailed, databaseUnavailable, invalidApiKey } from '../refusals.ts';
import { TokenAnswer, TokenRequest } from '../schema-http.ts';

/** An API key becomes a token: for programs as JSON, for people as a cookie. Both count against one limit per address. */
export async function authRoutes(
  app: Gateway,
  needs: {
    keys: Keys;
    tokens: Tokens;
    visits: Visits;
    cookies: Cookies;
    door: Door;
    publicOrigins: readonly string[];
  },
): Promise<void> {
  const { keys, tokens, visits, cookies, door, publicOrigins } = needs;

  // Of every route: whichever a browser comes back by, its session lasts.
  app.addHook('onSend', async (request, reply) => door.renew(request, reply));

  async function tokenFor(key: string) {
    const entry = matchKey(keys.all(), key);
    if (entry === undefined) throw keys.complete() ? invalidApiKey() : databaseUnavailable();
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
          200: answer('The token.', TokenAnswer),
          401: refusal(invalidApiKey()),
          503: refusal(authUnconfigured()),
        },
      },
      onRequest: configured,
    },
    async (request, reply) => {
      const { token, expiresInSeconds } = await tokenFor(request.body.api_key);
      return reply.header('cache-control', 'no-store').send({ token, expires_in: expiresInSeconds });
    },
  );

  /** Before the body is looked at: that nobody can come in is not the client's fault. */
  async function configured() {
    if (keys.all().length === 0) throw keys.complete() ? authUnconfigured() : databaseUnavailable();
  }

  await app.register(async (scope) => {
    await acceptForms(scope);

    scope.post<{ Body: Form }>(
      '/login',
      {
        config: { access: 'public', limited: true, page: true, takes: 'a form' },
        schema: { hide: true },
        onRequest: configured,
      },
      async (request, reply) => {
        // Nobody is signed in yet, so no cookie is at stake; but a strange page must not sign anybody in as somebody else.
        if (!fromOwnPage(request, publicOrigins)) throw csrfFailed();
        const key = request.body?.get('api_key');
        if (key === undefined) throw new InvalidInput([missing(['body', 'api_key'])]);
        if (request.body.has(FROM_LINK) && (await door.look(request)).by === 'cookie')
          return reply.redirect('/login', 303);
        const { token, expiresInSeconds } = await tokenFor(key.trim());
        // Always a new one: a session that somebody else may know must not become this person's.
        const { cookie } = await visits.begin();
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
        door.checkForm(request, request.body ?? new Map());
        const token = request.visitor?.token;
        if (token !== undefined) await visits.deny(token.jti, token.expiresAt);
        await visits.end(cookies.read(request).session);
        cookies.clear(request, reply);
        void reply.headers(CLEAR_CACHE);
        if (wantsJson(request.headers.accept)) return { status: 'ok' };
        return reply.redirect('/login', 303);
      },
    );
  });
}
