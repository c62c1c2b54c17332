import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isOwnAddress } from './base/addresses.ts';
import { type BucketFiles, openBucketFiles } from './base/files/bucket-files.ts';
import { readBucketUrl } from './base/files/bucket-url.ts';
import { isKeyFolder } from './base/files/file-key.ts';
import { folderKeys, type StoredKeys } from './base/files/stored-keys.ts';
import { createFolderFiles, type Files } from './base/files.ts';
import { systemResolve } from './base/guarded-connector.ts';
import type { Config } from './config.ts';

export interface FileStore {
  readonly files: Files;
  readonly stored: StoredKeys;
  /** The same object as `files` if FILES_URL is set. */
  readonly bucket?: BucketFiles;
  /** Ports of a storage on this machine, blocked for outbound requests to client URLs. */
  readonly ports: readonly number[];
  close(): Promise<void>;
}

/** Opens the bucket of FILES_URL, or DATA_DIR/files. */
export async function openFileStore({
  settings,
  shared,
  log,
}: Pick<Config, 'settings' | 'shared' | 'log'>): Promise<FileStore> {
  const dir = join(shared.dataDir, 'files');
  const { filesUrl, s3AccessKeyId, s3SecretAccessKey } = settings;
  if (filesUrl === undefined)
    return { files: createFolderFiles({ dir }), stored: folderKeys(dir), ports: [], close: async () => {} };
  // The settings' cross-field rules ensure that both keys are set.
  const keys = { accessKeyId: s3AccessKeyId!.trim(), secretAccessKey: s3SecretAccessKey!.trim() };
  const location = readBucketUrl(filesUrl);
  const bucket = openBucketFiles(location, { keys, tempDir: join(dir, 'incoming'), log });
  await bucket.check().catch(async (error: unknown) => {
    await bucket.close();
    throw error;
  });
  if ((await readdir(dir).catch(() => [])).some(isKeyFolder)) {
    log.warn(
      `${dir} holds files from before FILES_URL was set, which are no longer used: copy them into the bucket if they are missing there, then remove the folders with two-letter names.`,
    );
  }
  return {
    files: bucket,
    stored: bucket,
    bucket,
    ports: await localPorts(location.endpoint),
    close: () => bucket.close(),
  };
}

async function localPorts(endpoint: string): Promise<number[]> {
  const { hostname, port, protocol } = new URL(endpoint);
  const addresses = await systemResolve(hostname.replace(/^\[|\]$/g, '')).catch(() => []);
  return addresses.some(isOwnAddress) ? [Number(port) || (protocol === 'https:' ? 443 : 80)] : [];
}
