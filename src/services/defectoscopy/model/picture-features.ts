import type { JsonObject } from '../../../base/json.ts';
import { createPicture, readGreyLevels } from '../../shared/images/picture.ts';
import { encodeFeatures } from '../../shared/picture-features.ts';
import type { Attachment } from '../result.ts';
import { signatureOf } from '../training/signatures.ts';

/** The features of a record of the photo. */
export async function describePicture(
  bytes: Buffer,
  { training }: Attachment,
  signal: AbortSignal,
): Promise<JsonObject> {
  const picture = await createPicture(bytes, signal);
  const grey = picture && (await readGreyLevels(picture.bytes));
  const signature = training && (await signatureOf(training));
  return encodeFeatures({ ...(signature && { signature }), ...(grey && { grey }) });
}
