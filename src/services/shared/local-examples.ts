import { fileURLToPath } from 'node:url';
import { splitList } from '../../base/settings.ts';

/** The first token of the settings that is in plain text and not a digest. */
export const plainToken = (list: string | undefined, single?: string): string | undefined =>
  [...splitList(list ?? ''), single].find((token) => token && !/^sha256:/i.test(token));

/** The path of a file in `examples/`, quoted for a shell. */
export const shellPath = (name: string): string =>
  `'@${fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url)).replaceAll("'", `'\\''`)}'`;

/** A curl command that uploads an example file, creates a task with its URL and waits for the result. */
export function uploadExample(
  baseUrl: string,
  token: string | undefined,
  { file, type, path, field }: { file: string; type: string; path: string; field: string },
): string {
  const curl = token ? `curl -sS -H 'Authorization: Bearer ${token}'` : 'curl -sS';
  const upload = `${curl} -H 'Content-Type: ${type}' --data-binary ${shellPath(file)} ${baseUrl}/files`;
  const create = `${curl} -H 'Content-Type: application/json' -d "{\\"${field}\\":\\"$URL\\"}" ${baseUrl}${path}`;
  const result = `${curl} -w '\\n' -H 'Prefer: wait=30' "${baseUrl}$RESULT"`;
  return `URL=$(${upload} | grep -o 'https://[^"]*') && RESULT=$(${create} | grep -o '/result/[^"]*') && ${result}`;
}
