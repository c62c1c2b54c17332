import { requireAccess, withToken } from './access.ts';
import { skip } from './assertion-failure.ts';
import type { RunContext } from './check.ts';
import { isRecord } from './shape.ts';

/**
 * A file address for tasks: the given one, or a file uploaded to the deployment. File storage is not part of the
 * specification, so its absence skips the check.
 */
export async function fileUrl(context: RunContext, flag: string, type: string, bytes: () => Promise<Uint8Array>) {
  if (context.fileUrl !== undefined) return context.fileUrl;
  await requireAccess(context);
  const response = await context.probe.post('/files', {
    ...withToken(context),
    headers: { 'content-type': type },
    body: await bytes(),
  });
  const data = isRecord(response.json) ? response.json['data'] : undefined;
  const url = isRecord(data) ? data['url'] : undefined;
  if (typeof url === 'string' && URL.canParse(url)) return url;
  return skip(`${flag} is missing, and the deployment has no file storage (POST /files returned ${response.status})`);
}

export function missingFile(url: string, nonce: string): string {
  const missing = new URL(url);
  missing.pathname += `.conform-${nonce}`;
  missing.search = '';
  return missing.href;
}
