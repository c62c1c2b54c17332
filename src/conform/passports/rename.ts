import type { Check, RunContext } from '../check.ts';
import { assertErrorStatus, assertStatus, assertThat, assertValidationBody } from '../expect.ts';
import { document, itemsOf, list, UNKNOWN_ID, withSession } from './steps.ts';

const RULE = ['4.3', 'string, at most 255 characters, not empty'] as const;
const ERRORS = [
  '4.3',
  'empty name or name longer than 255 characters; unauthorized or token expired; task not found; validation error',
] as const;

async function rename(context: RunContext, id: string, form: Record<string, string>, accept = 'text/html') {
  return context.probe.post(`/task/${id}/rename`, { ...(await withSession(context)), form, headers: { accept } });
}

export async function renameDocument(context: RunContext, name: string, accept?: string) {
  const response = await rename(context, await document(context), { name }, accept);
  assertStatus(response, 303);
  assertThat(response, isHome(context, response.headers.get('location')), 'a Location of /');
  return response;
}

async function shownName(context: RunContext) {
  const [id, response] = [await document(context), await list(context)];
  return { response, name: itemsOf(response).find((item) => item['id'] === id)?.['filename'] };
}

export const renameChecks: readonly Check[] = [
  {
    id: 'passports.rename.redirect',
    cites: ['4.3', 'Always answers with a 303 redirect to `/`'],
    title: 'a rename returns 303 to /',
    run: async (context) => void (await renameDocument(context, `conform ${context.nonce}`)),
  },
  {
    id: 'passports.rename.no-json',
    cites: ['4.3', 'there is no JSON mode (unlike `/upload` and `/task/{id}/update`, which have one)'],
    title: 'a rename with Accept: application/json also returns 303 to /',
    run: async (context) => void (await renameDocument(context, `conform ${context.nonce}`, 'application/json')),
  },
  {
    id: 'passports.rename.shown',
    cites: ['2.4', '`filename` string (display name)'],
    title: 'the list shows the new name',
    run: async (context) => {
      await renameDocument(context, `renamed ${context.nonce}`);
      const { response, name } = await shownName(context);
      assertThat(response, name === `renamed ${context.nonce}`, `filename to be "renamed ${context.nonce}"`);
    },
  },
  {
    id: 'passports.rename.longest',
    cites: RULE,
    title: 'a name of 255 characters in any script is accepted',
    run: async (context) => {
      const longest = `${context.nonce} ${'я'.repeat(254 - context.nonce.length)}`;
      await renameDocument(context, longest);
      const { response, name } = await shownName(context);
      assertThat(response, name === longest, 'filename to be the name of 255 characters');
    },
  },
  {
    id: 'passports.rename.refuses.empty',
    cites: ERRORS,
    title: 'an empty name is rejected',
    run: async (context) => assertErrorStatus(await rename(context, await document(context), { name: '' })),
  },
  {
    id: 'passports.rename.refuses.long',
    cites: ERRORS,
    title: 'a name of 256 characters is rejected',
    run: async (context) =>
      assertErrorStatus(await rename(context, await document(context), { name: 'x'.repeat(256) })),
  },
  {
    id: 'passports.rename.refuses.missing',
    cites: ['7', 'Validation failures (HTTP validation errors) return the `detail` array body of section 2.4.'],
    title: 'a form without a name returns the validation error body',
    run: async (context) =>
      assertValidationBody(await rename(context, await document(context), { title: 'x' }, 'application/json')),
  },
  {
    id: 'passports.rename.unknown',
    cites: ERRORS,
    title: 'an unknown task cannot be renamed',
    run: async (context) => assertErrorStatus(await rename(context, UNKNOWN_ID, { name: 'x' })),
  },
];

function isHome({ probe }: RunContext, location: string | null): boolean {
  const base = new URL(`${probe.base}/`);
  if (location === null || !URL.canParse(location, base.href)) return false;
  const to = new URL(location, base);
  return to.host === base.host && (to.pathname === '/' || to.pathname === base.pathname);
}
