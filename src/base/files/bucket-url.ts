import { parseUrl } from '../parse-url.ts';

export type Bucket = ReturnType<typeof readBucketUrl>;

export interface BucketKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Parses `s3://bucket/prefix?endpoint=https://host:port&region=name`; its errors quote no secrets. */
export function readBucketUrl(text: string) {
  const url = parseUrl(text);
  if (url?.protocol !== 's3:') throw new Error(`must be an address like ${EXAMPLE}.`);
  if (url.username !== '' || url.password !== '') {
    throw new Error('must not contain keys: set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY instead.');
  }
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'endpoint' && name !== 'region');
  if (unknown !== undefined)
    throw new Error(`has the unknown parameter ${unknown}=; only endpoint= and region= are allowed.`);
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host))
    throw new Error(`"${url.host}" is not a valid bucket name.`);
  const path = url.pathname.replace(/^\/|\/$/g, '');
  if (!/^([\w.-]+(\/[\w.-]+)*)?$/.test(path)) {
    throw new Error('has an invalid prefix: use letters, digits and ._- between slashes.');
  }
  const region = url.searchParams.get('region') ?? undefined;
  return {
    /** Scheme, host and port. */
    endpoint: endpointOf(url.searchParams.get('endpoint') ?? undefined, region),
    region: region ?? 'us-east-1',
    name: url.host,
    /** Prefix of every key: empty, or ending with a slash. */
    prefix: path === '' ? '' : `${path}/`,
  };
}

const EXAMPLE = 's3://bucket/prefix?endpoint=https://storage.example.com:9000&region=eu-west-1';

function endpointOf(value: string | undefined, region: string | undefined): string {
  if (value === undefined) {
    if (region === undefined) throw new Error('needs region= for Amazon S3, or endpoint= for another storage.');
    return `https://s3.${region}.amazonaws.com`;
  }
  const url = parseUrl(value);
  if (url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href) return url.origin;
  throw new Error('needs an endpoint= with only scheme, host and port, like https://storage.example.com:9000.');
}
