import { asOwner, codeOf, nobodys } from './access.ts';
import type { Visit } from './check.ts';
import { exchanged } from './passports/steps.ts';
import { created } from './reports.ts';
import type { Subject } from './services.ts';

/**
 * Why nothing could be looked at with the credential that was given, in a sentence; undefined where it is taken, or none
 * was given. Throws `NoAnswer` where nothing answers.
 */
export async function refusedCredential({ name }: Subject, visit: Visit): Promise<string | undefined> {
  if (name === 'passports') {
    if (visit.apiKey === undefined) return undefined;
    const { status, json } = await exchanged(visit);
    return status >= 400 && status < 500 && codeOf(json) !== undefined ? sentence('API key', status, json) : undefined;
  }
  // That is how the first check looks as well: it is asked once.
  const ask = name === 'reports' ? created(visit) : visit.probe.get(`/result/${nobodys(visit)}`, asOwner(visit));
  const { status, json } = await ask;
  return visit.token !== undefined && codeOf(json) === 'UNAUTHORIZED' ? sentence('token', status, json) : undefined;
}

const sentence = (what: string, status: number, json: unknown) =>
  `The deployment does not take the ${what}: ${status} ${String(codeOf(json))}.`;
