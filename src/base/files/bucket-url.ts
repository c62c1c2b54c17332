import { parsedUrl } from '../parsed-url.ts';

/** Where in an S3-compatible storage files lie. */
export interface Bucket {
  /** Scheme, host and port of the storage. */
  readonly endpoint: string;
  readonly region: string;
  readonly name: string;
  /** Before every key: empty, or ending with a slash. */
  readonly prefix: string;
}

/** What opens a bucket. */
export interface BucketKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Reads `s3://bucket/prefix?endpoint=https://host:port&region=name`; throws a sentence that quotes nothing secret. */
export function readBucketUrl(text: string): Bucket {
  const url = parsedUrl(text);
  if (url?.protocol !== 's3:') throw new Error(`must be an address like ${LIKE}.`);
  if (url.username !== '' || url.password !== '') {
    throw new Error('must hold no keys: they belong into S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.');
  }
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'endpoint' && name !== 'region');
  if (unknown !== undefined) throw new Error(`knows endpoint= and region=, but not ${unknown}=.`);
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host)) throw new Error(`"${url.host}" is no name of a bucket.`);
  const path = url.pathname.replace(/^\/|\/$/g, '');
  if (!/^([\w.-]+(\/[\w.-]+)*)?$/.test(path)) {
    throw new Error('may have letters, digits and ._- between the slashes of its prefix.');
  }
  const region = url.searchParams.get('region') ?? undefined;
  return {
    endpoint: endpointOf(url.searchParams.get('endpoint') ?? undefined, region),
    region: region ?? 'us-east-1',
    name: url.host,
    prefix: path === '' ? '' : `${path}/`,
  };
}

const LIKE = 's3://bucket/prefix?endpoint=https://storage.example.com:9000&region=eu-west-1';

function endpointOf(given: string | undefined, region: string | undefined): string {
  if (given === undefined) {
    if (region === undefined) throw new Error('needs region= for a bucket at Amazon, and endpoint= for any other.');
    return `https://s3.${region}.amazonaws.com`;
  }
  const url = parsedUrl(given);
  if (url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href) return url.origin;
  throw new Error('needs an endpoint= of scheme, host and port alone, like https://storage.example.com:9000.');
}
