import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { requirePrograms } from '../require-programs.mjs';

/**
 * Returns the Node.js executable for the contenders (pg-boss 12 requires 22.12). Exits with a message if something is
 * missing.
 */
export function checkPrerequisites() {
  requirePrograms('redis-server', 'wrk');
  if (!existsSync(new URL('node_modules/bullmq', import.meta.url))) {
    fail('BullMQ and pg-boss are missing: npm ci --prefix bench/peers');
  }
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 12)) return process.execPath;
  const bundledNode = fileURLToPath(new URL('node_modules/.bin/node', import.meta.url));
  if (!existsSync(bundledNode)) fail('pg-boss requires Node.js 22.12 or newer.');
  return bundledNode;
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
