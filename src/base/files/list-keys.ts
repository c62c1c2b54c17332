import { text } from 'node:stream/consumers';
import type { BucketRequests } from './bucket-requests.ts';
import type { Bucket } from './bucket-url.ts';
import { isFileKey, keyToPath } from './file-key.ts';

/** The keys of all files below the prefix, or of a folder, 1000 per request (ListObjectsV2). Skips other objects. */
export async function* listKeys(
  requests: BucketRequests,
  { prefix }: Bucket,
  folder?: string,
): AsyncGenerator<string, void> {
  const below = folder === undefined ? prefix : `${prefix}${folder}/`;
  for (let next: string | undefined = ''; next !== undefined; ) {
    const query = { 'list-type': '2', prefix: below, ...(next !== '' && { 'continuation-token': next }) };
    const response = await requests.send({ method: 'GET', query });
    if (typeof response === 'string') return;
    const xml = await text(response.body);
    for (const [, path] of xml.matchAll(/<Key>([^<]*)<\/Key>/g)) {
      const key = path!.slice(path!.lastIndexOf('/') + 1);
      if (isFileKey(key) && path === prefix + keyToPath(key)) yield key;
    }
    next = unescaped(/<NextContinuationToken>([^<]+)<\/NextContinuationToken>/.exec(xml)?.[1]);
  }
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescaped = (text: string | undefined) =>
  text?.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) =>
    name ? (ENTITIES[name] ?? whole) : String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
  );
