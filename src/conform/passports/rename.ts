import type { Check, Visit } from '../check.ts';
import { detail, holds, refused, status } from '../expect.ts';
import { asOwner, document, itemsOf, list, NOBODYS } from './steps.ts';

const RULE = ['4.3', 'string, at most 255 characters, not empty'] as const;
const ERRORS = [
  '4.3',
  'empty name or name longer than 255 characters; unauthorized or token expired; task not found; validation error',
] as const;

async function rename(visit: Visit, id: string, form: Record<string, string>, accept = 'text/html') {
  return visit.probe.post(`/task/${id}/rename`, { ...(await asOwner(visit)), form, headers: { accept } });
}

/** A display name for the document; throws a `Breach` where it is not taken. */
export async function named(visit: Visit, name: string, accept?: string) {
  const answer = await rename(visit, await document(visit), { name }, accept);
  status(answer, 303);
  holds(answer, isHome(visit, answer.headers.get('location')), 'a Location of /');
  return answer;
}

async function shownName(visit: Visit) {
  const [id, answer] = [await document(visit), await list(visit)];
  return { answer, name: itemsOf(answer).find((item) => item['id'] === id)?.['filename'] };
}

/** Names that people give. */
export const renameChecks: readonly Check[] = [
  {
    id: 'passports.rename.redirect',
    cites: ['4.3', 'Always answers with a 303 redirect to `/`'],
    title: 'a rename is answered with 303 to /',
    run: async (visit) => void (await named(visit, `conform ${visit.nonce}`)),
  },
  {
    id: 'passports.rename.no-json',
    cites: ['4.3', 'there is no JSON mode (unlike `/upload` and `/task/{id}/update`, which have one)'],
    title: 'a rename that asks for JSON is answered with 303 to / as well',
    run: async (visit) => void (await named(visit, `conform ${visit.nonce}`, 'application/json')),
  },
  {
    id: 'passports.rename.shown',
    cites: ['2.4', '`filename` string (display name)'],
    title: 'the new name is the one that the list shows',
    run: async (visit) => {
      await named(visit, `renamed ${visit.nonce}`);
      const { answer, name } = await shownName(visit);
      holds(answer, name === `renamed ${visit.nonce}`, `filename to be "renamed ${visit.nonce}"`);
    },
  },
  {
    id: 'passports.rename.longest',
    cites: RULE,
    title: 'a name may have 255 characters, of any script',
    run: async (visit) => {
      const longest = `${visit.nonce} ${'я'.repeat(254 - visit.nonce.length)}`;
      await named(visit, longest);
      const { answer, name } = await shownName(visit);
      holds(answer, name === longest, 'filename to be the name of 255 characters');
    },
  },
  {
    id: 'passports.rename.refuses.empty',
    cites: ERRORS,
    title: 'an empty name is refused',
    run: async (visit) => refused(await rename(visit, await document(visit), { name: '' })),
  },
  {
    id: 'passports.rename.refuses.long',
    cites: ERRORS,
    title: 'a name of 256 characters is refused',
    run: async (visit) => refused(await rename(visit, await document(visit), { name: 'x'.repeat(256) })),
  },
  {
    id: 'passports.rename.refuses.missing',
    cites: ['7', 'Validation failures (HTTP validation errors) return the `detail` array body of section 2.4.'],
    title: 'a form without a name is answered with the validation error body',
    run: async (visit) => detail(await rename(visit, await document(visit), { title: 'x' }, 'application/json')),
  },
  {
    id: 'passports.rename.unknown',
    cites: ERRORS,
    title: 'an unknown task is not renamed',
    run: async (visit) => refused(await rename(visit, NOBODYS, { name: 'x' })),
  },
];

function isHome({ probe }: Visit, location: string | null): boolean {
  const base = new URL(`${probe.base}/`);
  if (location === null || !URL.canParse(location, base.href)) return false;
  const to = new URL(location, base);
  return to.host === base.host && (to.pathname === '/' || to.pathname === base.pathname);
}
