import type { Check, RunContext } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import {
  assertErrorStatus,
  assertLooseErrorEnvelope,
  assertShape,
  assertThat,
  assertValidationBody,
  bodyOf,
} from '../expect.ts';
import { filledText, integer, isRecord, record } from '../shape.ts';
import { tokenResponse } from './steps.ts';

const MALFORMED = ['4.3', 'Malformed body: validation error body.'] as const;

const json = (value: unknown) => (context: RunContext) => context.probe.post('/auth/token', { json: value });

const malformed: readonly (readonly [string, string, (context: RunContext) => Promise<Exchange>])[] = [
  ['no-key', 'no api_key', json({})],
  ['key-number', 'an api_key that is a number', json({ api_key: 17 })],
  ['key-null', 'an api_key that is null', json({ api_key: null })],
  ['list', 'a list', json([])],
  [
    'broken',
    'an invalid JSON body',
    ({ probe }) => probe.post('/auth/token', { headers: { 'content-type': 'application/json' }, body: '{"api_key":' }),
  ],
];

export const tokenChecks: readonly Check[] = [
  {
    id: 'passports.token.body',
    cites: ['2.4', '`token` string (JWT), `expires_in` integer (seconds), both required'],
    title: 'POST /auth/token returns a token and its lifetime in seconds',
    run: async (context) => {
      const response = await tokenResponse(context);
      assertShape(response, bodyOf(response), record({ token: filledText, expires_in: integer }), 'the body');
      assertThat(response, Number(bodyOf(response)['expires_in']) > 0, '`expires_in` to be more than 0');
    },
  },
  {
    id: 'passports.token.jwt',
    cites: ['5.3', '`POST /auth/token` with a static API key issued by the service administrator returns a JWT.'],
    title: 'the token is a JWT',
    run: async (context) => {
      const response = await tokenResponse(context);
      assertThat(response, isJwt(bodyOf(response)['token']), '`token` to be a JWT: three parts, of which two are JSON');
    },
  },
  {
    id: 'passports.token.wrong-key',
    cites: ['4.3', 'Wrong key: error envelope.'],
    title: 'a wrong key returns the error envelope',
    run: async ({ probe, nonce }) => {
      const response = await probe.post('/auth/token', { json: { api_key: `wrong-${nonce}` }, as: 'with a wrong key' });
      assertErrorStatus(response);
      assertLooseErrorEnvelope(response);
    },
  },
  ...malformed.map(
    ([name, title, ask]): Check => ({
      id: `passports.token.malformed.${name}`,
      cites: MALFORMED,
      title: `POST /auth/token with ${title} returns the validation error body`,
      run: async (context) => assertValidationBody(await ask(context)),
    }),
  ),
];

function isJwt(token: unknown): boolean {
  const [header, claims, signature, ...more] = String(token).split('.');
  return Boolean(signature) && more.length === 0 && [header, claims].every(isJsonPart);
}

function isJsonPart(part: string | undefined): boolean {
  try {
    return isRecord(JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8')));
  } catch {
    return false;
  }
}
