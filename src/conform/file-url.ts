import { admitted, asOwner } from './access.ts';
import { skip } from './breach.ts';
import type { Visit } from './check.ts';
import { isRecord } from './shape.ts';

/**
 * An address that a task may name: the one that was given, else one of the deployment's own file host. That is no
 * matter of the specification (a deployment need not have one), so its absence is no breach.
 */
export async function fileUrl(visit: Visit, flag: string, type: string, bytes: () => Promise<Uint8Array>) {
  if (visit.fileUrl !== undefined) return visit.fileUrl;
  await admitted(visit);
  const answer = await visit.probe.post('/files', {
    ...asOwner(visit),
    headers: { 'content-type': type },
    body: await bytes(),
  });
  const data = isRecord(answer.json) ? answer.json['data'] : undefined;
  const url = isRecord(data) ? data['url'] : undefined;
  if (typeof url === 'string' && URL.canParse(url)) return url;
  return skip(`no ${flag} was given, and the deployment keeps no files itself (POST /files answered ${answer.status})`);
}

/** The address of a file that is not there, on the same host. */
export function missingFile(url: string, nonce: string): string {
  const missing = new URL(url);
  missing.pathname += `.conform-${nonce}`;
  missing.search = '';
  return missing.href;
}
