import type { Check, RunContext } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { assertThat, checks, clientError, expect, expecting, status, that, validationError } from '../expect.ts';
import { document, listedItem, UNKNOWN_ID, VALIDATION, withSession } from './steps.ts';

const RULE = ['4.3', 'string, at most 255 characters, not empty'] as const;
const ERRORS = [
  '4.3',
  'empty name or name longer than 255 characters; unauthorized or token expired; task not found; validation error',
] as const;

async function rename(context: RunContext, id: string, form: Record<string, string>, accept = 'text/html') {
  return context.probe.post(`/task/${id}/rename`, { ...(await withSession(context)), form, headers: { accept } });
}

export async function renameDocument(context: RunContext, name: string, accept?: string): Promise<void> {
  const response = await rename(context, await document(context), { name }, accept);
  expect(
    response,
    status(303),
    that((redirect) => isHome(context, redirect), 'a Location of /'),
  );
}

const renameTo = (form: Record<string, string>, accept?: string) => async (context: RunContext) =>
  rename(context, await document(context), form, accept);

async function assertRenames(context: RunContext, name: string, expected: string): Promise<void> {
  await renameDocument(context, name);
  const { response, item } = await listedItem(context);
  assertThat(response, item?.['filename'] === name, expected);
}

export const renameChecks: readonly Check[] = checks('passports.rename', [
  [
    'redirect',
    ['4.3', 'Always answers with a 303 redirect to `/`'],
    'a rename returns 303 to /',
    (context) => renameDocument(context, `conform ${context.nonce}`),
  ],
  [
    'no-json',
    ['4.3', 'there is no JSON mode (unlike `/upload` and `/task/{id}/update`, which have one)'],
    'a rename with Accept: application/json also returns 303 to /',
    (context) => renameDocument(context, `conform ${context.nonce}`, 'application/json'),
  ],
  [
    'shown',
    ['2.4', '`filename` string (display name)'],
    'the list shows the new name',
    (context) => assertRenames(context, `renamed ${context.nonce}`, `filename to be "renamed ${context.nonce}"`),
  ],
  [
    'longest',
    RULE,
    'a name of 255 characters in any script is accepted',
    (context) => {
      const longest = `${context.nonce} ${'я'.repeat(254 - context.nonce.length)}`;
      return assertRenames(context, longest, 'filename to be the name of 255 characters');
    },
  ],
  ['refuses.empty', ERRORS, 'an empty name is rejected', expecting(renameTo({ name: '' }), clientError)],
  [
    'refuses.long',
    ERRORS,
    'a name of 256 characters is rejected',
    expecting(renameTo({ name: 'x'.repeat(256) }), clientError),
  ],
  [
    'refuses.missing',
    VALIDATION,
    'a form without a name returns the validation error body',
    expecting(renameTo({ title: 'x' }, 'application/json'), validationError),
  ],
  [
    'unknown',
    ERRORS,
    'an unknown task cannot be renamed',
    expecting((context) => rename(context, UNKNOWN_ID, { name: 'x' }), clientError),
  ],
]);

function isHome({ probe }: RunContext, { headers }: Exchange): boolean {
  const base = new URL(`${probe.base}/`);
  const location = headers.get('location');
  if (location === null || !URL.canParse(location, base.href)) return false;
  const to = new URL(location, base);
  return to.host === base.host && (to.pathname === '/' || to.pathname === base.pathname);
}
