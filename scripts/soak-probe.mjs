// Loaded into each process of the soak test (NODE_OPTIONS=--import): writes its heap statistics to a file.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const folder = process.env.SOAK_PROBES;
if (folder && isMainThread) {
  const file = join(folder, String(process.pid));
  const write = () => {
    const { heapUsed, external } = process.memoryUsage();
    writeFileSync(
      `${file}.new`,
      JSON.stringify({ heapUsed, external, handles: process.getActiveResourcesInfo().length }),
    );
    renameSync(`${file}.new`, file);
  };
  setInterval(write, 5000).unref();
}
