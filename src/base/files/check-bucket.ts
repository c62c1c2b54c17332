import type { Log } from '../log.ts';
import { OperatorError } from '../operator-error.ts';
import { type BucketRequests, mayPass } from './bucket-requests.ts';
import type { Bucket } from './bucket-url.ts';
import { StorageAway } from './storage-away.ts';

/**
 * Asks for the first name in the bucket. What the storage says that only the operator can mend is an `OperatorError`; one
 * that does not answer may do so later, and what answers without a code of S3 is something in between, whose word is not
 * the storage's: both are a warning, since what needs no file works without.
 */
export async function checkBucket(
  bucket: Bucket,
  { requests, log }: { requests: BucketRequests; log: Log },
): Promise<void> {
  try {
    const query = { 'list-type': '2', 'max-keys': '1', prefix: bucket.prefix };
    const answer = await requests.ask({ method: 'GET', query });
    if (typeof answer === 'object') await answer.body.dump();
  } catch (error) {
    if (!(error instanceof StorageAway)) throw error;
    const { answered, reason } = error;
    if (answered && answered.code !== '' && !mayPass(error)) throw new OperatorError(sentence(bucket, answered));
    log.warn(`The storage of files at ${bucket.endpoint} cannot be used: ${reason}. Files are refused until it can.`);
  }
}

function sentence({ endpoint, name }: Bucket, { status, code }: { status: number; code: string }): string {
  switch (code) {
    case 'NoSuchBucket':
      return `There is no bucket ${name} at ${endpoint}: make it there, or mend FILES_URL.`;
    case 'InvalidAccessKeyId':
      return `The storage at ${endpoint} does not know the key in S3_ACCESS_KEY_ID.`;
    case 'SignatureDoesNotMatch':
      return `The storage at ${endpoint} says that S3_SECRET_ACCESS_KEY is not the secret of the key in S3_ACCESS_KEY_ID.`;
    case 'AccessDenied':
      return `The key in S3_ACCESS_KEY_ID may not list the bucket ${name} at ${endpoint}, or there is none.`;
    case 'RequestTimeTooSkewed':
      return `The clocks of this machine and of ${endpoint} differ too much: set them.`;
    case 'PermanentRedirect':
    case 'AuthorizationHeaderMalformed':
    case 'IllegalLocationConstraintException':
      return `The bucket ${name} is in another region than FILES_URL says (region=).`;
    default:
      return `The storage at ${endpoint} cannot be used as FILES_URL says: it answers ${status} ${code}.`;
  }
}
