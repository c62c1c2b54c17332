import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Assay, createInstancePlace, startAssay } from './assay.ts';
import { type Client, createClient } from './client.ts';

/** A network namespace with its own address, connected by one virtual cable. */
export interface Host {
  readonly name: string;
  readonly address: string;
  readonly inside: readonly string[];
  /** Takes the link down; open connections get no error. */
  unplug(): Promise<void>;
  plug(): Promise<void>;
}

export interface Hosts {
  readonly address: string;
  readonly network: string;
  readonly all: readonly Host[];
  remove(): Promise<void>;
}

/**
 * Creates hosts on one bridge, as network namespaces. Requires root on Linux with iproute2; otherwise the test is skipped,
 * or fails with ASSAY_REQUIRE=all.
 */
export async function startHosts(names: readonly string[], context: { skip(note?: string): never }): Promise<Hosts> {
  requireNetworkNamespaces(context);
  const id = randomBytes(2).toString('hex');
  const prefix = `10.${randomByte()}.${randomByte()}`;
  const bridge = `as${id}`;
  const all: Host[] = [];
  const remove = async () => {
    for (const { name } of all) await ip('netns', 'del', nameOf(id, name)).catch(() => {});
    await ip('link', 'del', bridge).catch(() => {});
  };
  try {
    await ip('link', 'add', bridge, 'type', 'bridge');
    await ip('addr', 'add', `${prefix}.1/24`, 'dev', bridge);
    await ip('link', 'set', bridge, 'up');
    for (const [at, name] of names.entries()) {
      all.push(await addHost({ id, bridge, name, address: `${prefix}.${at + 2}`, at }));
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return { address: `${prefix}.1`, network: `${prefix}.0/24`, all, remove };
}

async function addHost(options: {
  id: string;
  bridge: string;
  name: string;
  address: string;
  at: number;
}): Promise<Host> {
  const { id, bridge, name, address, at } = options;
  const namespace = nameOf(id, name);
  const inside = ['ip', 'netns', 'exec', namespace];
  const [cable, end] = [`as${id}v${at}`, `as${id}e${at}`];
  await ip('netns', 'add', namespace);
  await ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', end);
  await ip('link', 'set', end, 'netns', namespace);
  await ip('link', 'set', cable, 'master', bridge, 'up');
  await ip('-n', namespace, 'addr', 'add', `${address}/24`, 'dev', end);
  await ip('-n', namespace, 'link', 'set', end, 'up');
  await ip('-n', namespace, 'link', 'set', 'lo', 'up');
  return {
    ...{ name, address, inside },
    unplug: () => ip('link', 'set', cable, 'down'),
    plug: () => ip('link', 'set', cable, 'up'),
  };
}

export interface Machine extends Client {
  readonly assay: Assay;
}

export async function createSharedFolder(): Promise<string> {
  const { dataDir } = await createInstancePlace();
  for (const folder of ['keys', 'files']) await mkdir(join(dataDir, folder), { recursive: true, mode: 0o700 });
  return dataDir;
}

/**
 * Starts the product on one host with its own data directory; keys and files are on `disk`. `clock` is the host's clock
 * error, such as `+1h`.
 */
export async function startMachine(
  host: Host,
  options: { env: Record<string, string>; disk: string; clock?: string },
): Promise<Machine> {
  const { env, clock, disk } = options;
  const place = await createInstancePlace();
  await mkdir(place.dataDir, { recursive: true });
  for (const folder of ['keys', 'files']) await symlink(join(disk, folder), join(place.dataDir, folder));
  // Every program replaces itself by exec, so the pid and the IPC channel stay the same.
  const node = join(dirname(place.dataDir), 'node');
  const fakeClock =
    clock === undefined ? '' : `LD_PRELOAD=${faketimePath()} FAKETIME=${clock} FAKETIME_DONT_FAKE_MONOTONIC=1 `;
  await writeFile(node, `#!/bin/sh\nexec ${host.inside.join(' ')} env ${fakeClock}${process.execPath} "$@"\n`);
  await chmod(node, 0o755);
  const assay = startAssay(place, { node, env: { HOST: '0.0.0.0', ...env } });
  return { ...createClient(`http://${host.address}:${place.port}`), assay };
}

/** Path of the libfaketime library, if installed. */
export const faketimePath = () =>
  ['x86_64', 'aarch64']
    .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
    .find((path) => existsSync(path));

function requireNetworkNamespaces({ skip }: { skip(note?: string): never }): void {
  const trial = `as${randomBytes(3).toString('hex')}`;
  try {
    execFileSync('ip', ['netns', 'add', trial], { stdio: 'pipe' });
    execFileSync('ip', ['netns', 'del', trial], { stdio: 'pipe' });
  } catch (error) {
    const reason = `network namespaces cannot be created (requires root on Linux with iproute2): ${(error as Error).message.trim()}`;
    if (process.env['ASSAY_REQUIRE'] === 'all') throw new Error(`ASSAY_REQUIRE=all, but ${reason}`);
    skip(reason);
  }
}

async function ip(...args: string[]): Promise<void> {
  await promisify(execFile)('ip', args);
}

const nameOf = (id: string, name: string) => `as${id}-${name}`;
const randomByte = () => 1 + (randomBytes(1)[0]! % 254);
