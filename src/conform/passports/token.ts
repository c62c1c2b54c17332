import { codeOf } from '../access.ts';
import { skip } from '../assertion-failure.ts';
import type { Check, RunContext } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { body, checks, expecting, rejection, rows, validationError } from '../expect.ts';
import { brokenJson } from '../probe.ts';
import { atLeast, filledText, isRecord } from '../shape.ts';
import { tokenResponse } from './steps.ts';

const MALFORMED = ['4.3', 'Malformed body: validation error body.'] as const;

type Ask = (context: RunContext) => Promise<Exchange>;

const json =
  (value: unknown): Ask =>
  ({ probe }) =>
    probe.post('/auth/token', { json: value });

/** Skips the check of a deployment without API keys. */
const configured =
  (ask: Ask): Ask =>
  async (context) => {
    const response = await ask(context);
    if (codeOf(response.json) === 'AUTH_UNCONFIGURED') skip('no API keys are configured: AUTH_UNCONFIGURED');
    return response;
  };

const malformed: readonly (readonly [string, string, Ask])[] = [
  ['no-key', 'no api_key', json({})],
  ['key-number', 'an api_key that is a number', json({ api_key: 17 })],
  ['key-null', 'an api_key that is null', json({ api_key: null })],
  ['list', 'a list', json([])],
  ['broken', 'an invalid JSON body', ({ probe }) => probe.post('/auth/token', brokenJson('{"api_key":'))],
];

export const tokenChecks: readonly Check[] = checks('passports.token', [
  [
    'body',
    ['2.4', '`token` string (JWT), `expires_in` integer (seconds), both required'],
    'POST /auth/token returns a token and its lifetime in seconds',
    expecting(tokenResponse, body({ token: filledText, expires_in: atLeast(1) })),
  ],
  [
    'jwt',
    ['5.3', '`POST /auth/token` with a static API key issued by the service administrator returns a JWT.'],
    'the token is a JWT',
    expecting(tokenResponse, body({ token: jwt })),
  ],
  [
    'wrong-key',
    ['4.3', 'Wrong key: error envelope.'],
    'a wrong key returns the error envelope',
    expecting(
      configured(({ probe, nonce }) =>
        probe.post('/auth/token', { json: { api_key: `wrong-${nonce}` }, as: 'with a wrong key' }),
      ),
      rejection,
    ),
  ],
  ...rows(malformed, ([name, title, ask]) => [
    `malformed.${name}`,
    MALFORMED,
    `POST /auth/token with ${title} returns the validation error body`,
    expecting(configured(ask), validationError),
  ]),
]);

function jwt(value: unknown, at: string): string | undefined {
  const [header, claims, signature, ...more] = String(value).split('.');
  const isJwt = Boolean(signature) && more.length === 0 && [header, claims].every(isJsonPart);
  return isJwt ? undefined : `${at} to be a JWT: three parts, of which two are JSON`;
}

function isJsonPart(part: string | undefined): boolean {
  try {
    return isRecord(JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8')));
  } catch {
    return false;
  }
}
