import type { Log } from '../log.ts';
import { OperatorError } from '../operator-error.ts';
import { type BucketRequests, isRetryable } from './bucket-requests.ts';
import type { Bucket } from './bucket-url.ts';
import { StorageUnavailable } from './storage-unavailable.ts';

/**
 * Lists one key of the bucket. Throws an `OperatorError` for a wrong configuration. An unreachable storage, and a response
 * without an S3 error code (from a proxy in between), are only logged, because other functions work without files.
 */
export async function checkBucket(
  bucket: Bucket,
  { requests, log }: { requests: BucketRequests; log: Log },
): Promise<void> {
  try {
    const query = { 'list-type': '2', 'max-keys': '1', prefix: bucket.prefix };
    const response = await requests.send({ method: 'GET', query });
    if (typeof response === 'object') await response.body.dump();
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
    const { response: answered, reason } = error;
    if (answered && answered.code !== '' && !isRetryable(error))
      throw new OperatorError(errorMessage(bucket, answered));
    log.warn(
      `The file storage at ${bucket.endpoint} is unavailable: ${reason}. Files are rejected until it is available.`,
    );
  }
}

function errorMessage({ endpoint, name }: Bucket, { status, code }: { status: number; code: string }): string {
  switch (code) {
    case 'NoSuchBucket':
      return `There is no bucket ${name} at ${endpoint}: create it, or correct FILES_URL.`;
    case 'InvalidAccessKeyId':
      return `The storage at ${endpoint} rejects the access key in S3_ACCESS_KEY_ID as unknown.`;
    case 'SignatureDoesNotMatch':
      return `The storage at ${endpoint} rejects S3_SECRET_ACCESS_KEY as the secret of the key in S3_ACCESS_KEY_ID.`;
    case 'AccessDenied':
      return `The key in S3_ACCESS_KEY_ID may not list the bucket ${name} at ${endpoint}, or the bucket does not exist.`;
    case 'RequestTimeTooSkewed':
      return `The clocks of this machine and of ${endpoint} differ too much: synchronize them.`;
    case 'PermanentRedirect':
    case 'AuthorizationHeaderMalformed':
    case 'IllegalLocationConstraintException':
      return `The bucket ${name} is not in the region of FILES_URL (region=).`;
    default:
      return `The storage at ${endpoint} cannot be used with this FILES_URL: it responds with ${status} ${code}.`;
  }
}
