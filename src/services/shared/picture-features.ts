import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { Signature } from '../../base/signature.ts';
import type { Failure } from '../../tasks/task.ts';
import type { FileType } from './file-type.ts';

/** Maximum side of stored thumbnails in pixels. */
export const THUMBNAIL_SIDE = 384;
/** Side in pixels of {@link PictureFeatures.grey}. */
export const GREY_SIDE = 32;

/** How the worker of a service describes a picture, so that the catalog can search for it. */
export interface PictureTasks {
  readonly type: FileType;
  /** Of a task that ends with {@link PictureFeatures} as its attachment and has no record. */
  input(url: string): JsonObject;
  /** Whether the picture is the cause. */
  isRejection(failure: Failure): boolean;
}

export interface PictureFeatures {
  /** Absent if the model's features are not comparable. */
  readonly signature?: { readonly version: string; readonly values: Signature };
  /** Grey levels of the stored picture, stretched to `GREY_SIDE` squared. */
  readonly grey?: Buffer;
}

export const encodeFeatures = ({ signature, grey }: PictureFeatures): JsonObject => ({
  ...(signature && {
    signature: { version: signature.version, values: Buffer.from(signature.values).toString('base64') },
  }),
  ...(grey && { grey: grey.toString('base64') }),
});

/** Undefined for the attachment of a worker that does not know these tasks. */
export function decodeFeatures(attachment: JsonValue | undefined): PictureFeatures | undefined {
  const { signature, grey } = (attachment ?? {}) as { signature?: { version: string; values: string }; grey?: string };
  if (signature === undefined && grey === undefined) return undefined;
  return {
    ...(signature && {
      signature: { version: signature.version, values: new Int8Array(Buffer.from(signature.values, 'base64')) },
    }),
    ...(grey !== undefined && { grey: Buffer.from(grey, 'base64') }),
  };
}
