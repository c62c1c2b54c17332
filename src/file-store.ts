import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isOwnAddress } from './base/addresses.ts';
import { type BucketFiles, openBucketFiles } from './base/files/bucket-files.ts';
import { readBucketUrl } from './base/files/bucket-url.ts';
import { isFolderOfFiles } from './base/files/key.ts';
import { type Files, openFiles } from './base/files.ts';
import { systemResolve } from './base/guarded-connector.ts';
import type { Plan } from './plan.ts';

/** Where this installation keeps its files. */
export interface FileStore {
  readonly files: Files;
  /** The same, where they lie in a bucket. */
  readonly bucket?: BucketFiles;
  /** Of this machine, where no stranger's URL may lead. */
  readonly ports: readonly number[];
  close(): Promise<void>;
}

/** Opens the bucket of FILES_URL, checked, or DATA_DIR/files; warns of files in the latter that a bucket hides. */
export async function openFileStore({
  settings,
  shared,
  log,
}: Pick<Plan, 'settings' | 'shared' | 'log'>): Promise<FileStore> {
  const dir = join(shared.dataDir, 'files');
  const { filesUrl, s3AccessKeyId, s3SecretAccessKey } = settings;
  if (filesUrl === undefined) return { files: openFiles({ dir }), ports: [], close: async () => {} };
  // That both are set was agreed on when the settings were read.
  const keys = { accessKeyId: s3AccessKeyId!.trim(), secretAccessKey: s3SecretAccessKey!.trim() };
  const place = readBucketUrl(filesUrl);
  const bucket = openBucketFiles({ bucket: place, keys, draftsDir: join(dir, 'incoming'), log });
  await bucket.check().catch(async (error: unknown) => {
    await bucket.close();
    throw error;
  });
  if ((await readdir(dir).catch(() => [])).some(isFolderOfFiles)) {
    log.warn(
      `${dir} holds files of before FILES_URL was set, which nobody sees now: copy them into the bucket, if they are not there, and remove its folders of two letters.`,
    );
  }
  return { files: bucket, bucket, ports: await portHere(place.endpoint), close: () => bucket.close() };
}

/** The port of a storage that is this machine's own: no stranger's URL is to reach it. */
async function portHere(endpoint: string): Promise<number[]> {
  const { hostname, port, protocol } = new URL(endpoint);
  const addresses = await systemResolve(hostname.replace(/^\[|\]$/g, '')).catch(() => []);
  return addresses.some(isOwnAddress) ? [Number(port) || (protocol === 'https:' ? 443 : 80)] : [];
}
