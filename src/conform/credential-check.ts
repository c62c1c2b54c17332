import { codeOf, unknownTaskId, withToken } from './access.ts';
import type { RunContext } from './check.ts';
import { tokenResponse } from './passports/steps.ts';
import { creationResponse } from './reports.ts';
import type { ServiceChecks } from './services.ts';

/**
 * Error message for a rejected credential; undefined if it is accepted or missing. Throws `NoResponse` if the
 * deployment does not respond.
 */
export async function findCredentialError({ name }: ServiceChecks, context: RunContext): Promise<string | undefined> {
  if (name === 'passports') {
    if (context.apiKey === undefined) return undefined;
    const { status, json } = await tokenResponse(context);
    return status >= 400 && status < 500 && codeOf(json) !== undefined
      ? rejectionMessage('API key', status, json)
      : undefined;
  }
  // Shared with the first check, so it is sent once.
  const request =
    name === 'reports'
      ? creationResponse(context)
      : context.probe.get(`/result/${unknownTaskId(context)}`, withToken(context));
  const { status, json } = await request;
  return context.token !== undefined && codeOf(json) === 'UNAUTHORIZED'
    ? rejectionMessage('token', status, json)
    : undefined;
}

const rejectionMessage = (credential: string, status: number, json: unknown) =>
  `The deployment rejects the ${credential}: ${status} ${String(codeOf(json))}.`;
