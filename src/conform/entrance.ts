import { asOwner, codeOf, nobodys } from './access.ts';
import type { Visit } from './check.ts';
import { exchanged } from './passports/steps.ts';
import { created } from './reports.ts';
import type { Subject } from './services.ts';

/**
 * Error message for a rejected credential; undefined if it is accepted or missing. Throws `NoResponse` if the
 * deployment does not respond.
 */
export async function refusedCredential({ name }: Subject, context: Visit): Promise<string | undefined> {
  if (name === 'passports') {
    if (context.apiKey === undefined) return undefined;
    const { status, json } = await exchanged(context);
    return status >= 400 && status < 500 && codeOf(json) !== undefined
      ? rejectionMessage('API key', status, json)
      : undefined;
  }
  // Shared with the first check, so it is sent once.
  const request =
    name === 'reports' ? created(context) : context.probe.get(`/result/${nobodys(context)}`, asOwner(context));
  const { status, json } = await request;
  return context.token !== undefined && codeOf(json) === 'UNAUTHORIZED'
    ? rejectionMessage('token', status, json)
    : undefined;
}

const rejectionMessage = (credential: string, status: number, json: unknown) =>
  `The deployment rejects the ${credential}: ${status} ${String(codeOf(json))}.`;
