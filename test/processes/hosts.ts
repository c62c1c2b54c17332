import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Assay, newPlace, startAssay } from './assay.ts';
import { type Client, clientOf } from './client.ts';

/** A machine of its own as far as the network is concerned: an address, a cable, and no way to others but by it. */
export interface Host {
  readonly name: string;
  readonly address: string;
  /** What runs a command there. */
  readonly inside: readonly string[];
  /** Pulls the cable: nothing comes or goes any more, and nobody is told. */
  unplug(): Promise<void>;
  plug(): Promise<void>;
}

export interface Hosts {
  /** This machine's address among them. */
  readonly address: string;
  readonly network: string;
  readonly all: readonly Host[];
  remove(): Promise<void>;
}

/**
 * Hosts on one switch, as network namespaces, for which one must be root on Linux with iproute2. Where that is not so
 * the test is skipped with a sentence, except under ASSAY_REQUIRE=all, where it fails.
 */
export async function startHosts(names: readonly string[], context: { skip(note?: string): never }): Promise<Hosts> {
  refuseWithoutNetworks(context);
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

async function addHost(needs: {
  id: string;
  bridge: string;
  name: string;
  address: string;
  at: number;
}): Promise<Host> {
  const { id, bridge, name, address, at } = needs;
  const space = nameOf(id, name);
  const inside = ['ip', 'netns', 'exec', space];
  const [cable, end] = [`as${id}v${at}`, `as${id}e${at}`];
  await ip('netns', 'add', space);
  await ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', end);
  await ip('link', 'set', end, 'netns', space);
  await ip('link', 'set', cable, 'master', bridge, 'up');
  await ip('-n', space, 'addr', 'add', `${address}/24`, 'dev', end);
  await ip('-n', space, 'link', 'set', end, 'up');
  await ip('-n', space, 'link', 'set', 'lo', 'up');
  return {
    ...{ name, address, inside },
    unplug: () => ip('link', 'set', cable, 'down'),
    plug: () => ip('link', 'set', cable, 'up'),
  };
}

/** The product on one host, and whoever calls it by that host's address. */
export interface Machine extends Client {
  readonly assay: Assay;
}

/** What hosts have in common: a folder with their keys and files, as on a shared disk. */
export async function sharedDisk(): Promise<string> {
  const { dataDir } = await newPlace();
  for (const folder of ['keys', 'files']) await mkdir(join(dataDir, folder), { recursive: true, mode: 0o700 });
  return dataDir;
}

/**
 * Everything of the product on one host, with a data directory of its own but for its keys and files, which are on
 * `disk`. `clock` is what that host's clock is wrong by: `+1h`.
 */
export async function startMachine(
  host: Host,
  options: { env: Record<string, string>; disk: string; clock?: string },
): Promise<Machine> {
  const { env, clock, disk } = options;
  const place = await newPlace();
  await mkdir(place.dataDir, { recursive: true });
  for (const folder of ['keys', 'files']) await symlink(join(disk, folder), join(place.dataDir, folder));
  // By programs that become each other, so that the process is the one that was started and its channel stays open.
  const node = join(dirname(place.dataDir), 'node');
  const wrong = clock === undefined ? '' : `LD_PRELOAD=${faketime()} FAKETIME=${clock} FAKETIME_DONT_FAKE_MONOTONIC=1 `;
  await writeFile(node, `#!/bin/sh\nexec ${host.inside.join(' ')} env ${wrong}${process.execPath} "$@"\n`);
  await chmod(node, 0o755);
  const assay = startAssay(place, { node, env: { HOST: '0.0.0.0', ...env } });
  return { ...clientOf(`http://${host.address}:${place.port}`), assay };
}

/** The library that lets a program believe in another time, where there is one. */
export const faketime = () =>
  ['x86_64', 'aarch64']
    .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
    .find((path) => existsSync(path));

function refuseWithoutNetworks({ skip }: { skip(note?: string): never }): void {
  const trial = `as${randomBytes(3).toString('hex')}`;
  try {
    execFileSync('ip', ['netns', 'add', trial], { stdio: 'pipe' });
    execFileSync('ip', ['netns', 'del', trial], { stdio: 'pipe' });
  } catch (error) {
    const sentence = `network namespaces cannot be made here (root on Linux with iproute2 can): ${(error as Error).message.trim()}`;
    if (process.env['ASSAY_REQUIRE'] === 'all') throw new Error(`ASSAY_REQUIRE=all, but ${sentence}`);
    skip(sentence);
  }
}

async function ip(...args: string[]): Promise<void> {
  await promisify(execFile)('ip', args);
}

const nameOf = (id: string, name: string) => `as${id}-${name}`;
const randomByte = () => 1 + (randomBytes(1)[0]! % 254);
