import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readBucketUrl } from '../../src/base/files/bucket-url.ts';
import { loadConfig } from '../../src/config.ts';
import { openFileStore } from '../../src/file-store.ts';
import { services } from '../../src/services/index.ts';
import { RETURN_FREED_MEMORY } from '../../src/services/stt/index.ts';
import { coreSettings, databaseSettings } from '../../src/settings.ts';
import { testDatabase } from '../support/database.ts';
import { freePort, REPOSITORY } from '../support/processes/assay.ts';
import { waitUntil } from '../support/processes/until.ts';
import { yaml } from '../support/yaml.ts';

vi.setConfig({ testTimeout: 120_000 });

const run = promisify(execFile);
const read = (path: string) => readFile(join(REPOSITORY, path), 'utf8');

const commands = async () =>
  [...(await read('src/main.ts')).matchAll(/\.command\('([a-z]+)'/g)].map(([, name]) => name!);

async function expectCommand([command, ...rest]: readonly string[]): Promise<void> {
  expect(await commands()).toContain(command);
  if (command !== 'work') return expect(rest).toEqual([]);
  expect(rest).toEqual(['--service', expect.toBeOneOf(services.map(({ name }) => name))]);
}

describe('The Dockerfile', () => {
  const stages = async () => {
    const text = (await read('deploy/Dockerfile')).replaceAll(/^#.*\n/gm, '').replaceAll('\\\n', ' ');
    const found = new Map<string, { base: string; lines: string[] }>();
    for (const line of text.split('\n').filter(Boolean)) {
      const [, base, name] = /^FROM (\S+) AS (\S+)$/.exec(line) ?? [];
      if (name) found.set(name, { base: base!, lines: [] });
      else [...found.values()].at(-1)?.lines.push(line);
    }
    return found;
  };
  const json = (lines: readonly string[], instruction: string): string[] =>
    JSON.parse(lines.find((line) => line.startsWith(`${instruction} `))!.slice(instruction.length + 1));
  const removals = (lines: readonly string[]) =>
    lines.flatMap((line) => (/^RUN rm -rf (.*)$/.exec(line)?.[1] ?? '').split(/\s+/).filter(Boolean));

  it('copies only files that exist and that the ignore file includes', async () => {
    const includedPatterns = (await read('deploy/Dockerfile.dockerignore'))
      .split('\n')
      .flatMap((line) => /^!(.*)$/.exec(line)?.[1] ?? []);
    let copied = 0;
    for (const { lines } of (await stages()).values()) {
      for (const line of lines) {
        const words = /^COPY (?!--from)(.*) \S+$/.exec(line)?.[1]?.split(' ') ?? [];
        for (const source of words) {
          expect(await readdir(join(REPOSITORY, dirname(source))), source).toContain(basename(source));
          const isLetThrough = includedPatterns.some((pattern) =>
            new RegExp(`^${pattern.replaceAll('.', '\\.').replace('*', '.*')}/?$`).test(source),
          );
          expect(isLetThrough, source).toBe(true);
          copied++;
        }
      }
    }
    expect(copied).toBeGreaterThan(8);
  });

  it('copies all sources and projects before it compiles', async () => {
    const { lines } = (await stages()).get('build')!;
    const built = lines.indexOf('RUN node scripts/build.mjs');
    const there = lines.slice(0, built).flatMap((line) => /^COPY (.*) \S+$/.exec(line)?.[1]?.split(' ') ?? []);
    const projects = [...(await read('scripts/build.mjs')).matchAll(/'(tsconfig\.\w+\.json)'/g)].map(
      ([, name]) => name!,
    );
    expect(projects.length).toBeGreaterThan(2);
    expect(there).toEqual(expect.arrayContaining(['tsconfig.json', ...projects, 'src/', 'scripts/']));
  });

  it('builds each stage from an earlier one and runs existing commands as a non-root user', async () => {
    const known = await stages();
    const names = [...known.keys()];
    for (const [name, { base, lines }] of known) {
      const from = lines.map((line) => /--from=(\S+)/.exec(line)?.[1]).filter((each) => each !== undefined);
      for (const each of [...from, ...(base.startsWith('node:') ? [] : [base])]) {
        expect(names.indexOf(each), each).toBeLessThan(names.indexOf(name));
        expect(names).toContain(each);
      }
    }
    for (const name of ['gateway', 'worker']) {
      const { lines } = known.get(name)!;
      expect(json(lines, 'ENTRYPOINT')).toEqual(['node', '--enable-source-maps', 'dist/main.js']);
      await expectCommand(json(lines, 'CMD'));
      expect(lines).toContain('USER node');
      expect(lines.findIndex((line) => line.startsWith('USER'))).toBeGreaterThan(
        lines.findLastIndex((line) => line.startsWith('RUN')),
      );
      expect(lines.join()).toContain('HEALTHCHECK');
    }
  });

  it('removes only paths that exist', async () => {
    const lock = JSON.parse(await read('package-lock.json')).packages;
    const all = [...(await stages()).values()].flatMap(({ lines }) => removals(lines));
    expect(all.length).toBeGreaterThan(8);
    for (const path of all.filter((each) => each.startsWith('node_modules/'))) {
      const isPackage = Object.keys(lock).some((each) => each === path || each.startsWith(`${path}/`));
      expect(isPackage || existsSync(join(REPOSITORY, path)), path).toBe(true);
    }
  });

  it('produces a gateway that serves every listener without neural networks and weights', async () => {
    const root = await mkdtemp(join(tmpdir(), 'assay-image-'));
    onTestFinished(() => rm(root, { recursive: true, force: true }));
    const known = await stages();
    const removedPaths = ['build', 'without-networks'].flatMap((name) => removals(known.get(name)!.lines));
    const copied = known.get('build')!.lines.flatMap((line) => /^COPY (.*) \S+$/.exec(line)?.[1]?.split(' ') ?? []);
    for (const path of copied) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await cp(join(REPOSITORY, path), join(root, path), { recursive: true });
    }
    const isBuildTool = (path: string) => /^node_modules\/(typescript|@?rolldown|@oxc-project)$/.test(path);
    await linkPackages(
      root,
      removedPaths.filter((path) => !isBuildTool(path)),
    );
    // Compile as the image does, with the production dependencies only.
    await run(process.execPath, ['scripts/build.mjs'], { cwd: root, maxBuffer: 2 ** 24 });
    const rest = removedPaths.filter((path) => isBuildTool(path) || !path.startsWith('node_modules/'));
    await run('sh', ['-c', `rm -rf ${rest.join(' ')}`], { cwd: root });

    const database = await testDatabase();
    onTestFinished(() => database.drop());
    const ports: Record<string, string> = {};
    for (const { name } of services) ports[`${name.toUpperCase()}_PORT`] = String(await freePort());
    const env = { ...ports, PATH: process.env['PATH']!, APP_ENV: 'production', DATA_DIR: join(root, 'data') };
    const health = () =>
      run(process.execPath, ['deploy/healthcheck.mjs'], { cwd: root, env }).then(
        () => 'healthy',
        (error: { code: unknown }) => `ended with ${error.code}`,
      );
    expect(await health()).toBe('ended with 1');
    const stop = new AbortController();
    // Otherwise links would resolve to packages that were removed here.
    const flags = ['--preserve-symlinks', '--preserve-symlinks-main'];
    const serving = run(process.execPath, [...flags, 'dist/main.js', 'serve'], {
      cwd: root,
      env: {
        ...env,
        ...(await composeEnvironment()),
        DATABASE_URL: database.url,
        HOST: '127.0.0.1',
        LOG_LEVEL: 'warn',
      },
      signal: stop.signal,
      killSignal: 'SIGKILL',
    }).catch((error: { name: string; stderr?: string }) => error);
    let ended: { stderr?: string } | undefined;
    void serving.then((end) => {
      ended = end;
    });
    await waitUntil(async () => {
      if (ended) throw new Error(ended.stderr);
      return (await health()) === 'healthy';
    }, 60_000);
    for (const port of Object.values(ports)) {
      for (const page of ['docs', 'help', 'help/operations']) {
        expect((await fetch(`http://127.0.0.1:${port}/${page}`)).status, page).toBe(200);
      }
    }
    stop.abort();
    await serving;
  });
});

/** Links the packages of `npm ci --omit=dev`, except those in `gone`. */
async function linkPackages(root: string, removedPaths: readonly string[]): Promise<void> {
  const { packages } = JSON.parse(await read('package-lock.json'));
  for (const path of Object.keys(packages)) {
    if (!/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) || packages[path].dev) continue;
    if (removedPaths.some((each) => path === each || path.startsWith(`${each}/`))) continue;
    await mkdir(dirname(join(root, path)), { recursive: true });
    await symlink(join(REPOSITORY, path), join(root, path));
  }
}

/** The environment in compose.yaml with placeholders for required values. */
async function composeEnvironment(): Promise<Record<string, string>> {
  const { environment } = yaml.parse(await read('deploy/compose.yaml'))['x-assay'];
  let words = 0;
  const filled = (text: string) =>
    text.replaceAll(/\$\{(\w+):([?-])[^}]*\}/g, (_, name, kind) =>
      kind === '-'
        ? ''
        : name === 'PASSPORTS_API_KEYS'
          ? 'admin:a-long-random-word-1'
          : `a-long-random-word-${++words}`,
    );
  return Object.fromEntries(Object.entries<string>(environment).map(([name, text]) => [name, filled(text)]));
}

describe('compose.yaml', () => {
  const compose = async () => yaml.parse(await read('deploy/compose.yaml'), { merge: true });

  it('starts every role once with existing commands', async () => {
    const { services: containers } = await compose();
    const { postgres, storage, ...ownServices } = containers;
    expect(postgres.image).toMatch(/^postgres:\d+$/);
    expect(storage.image).toMatch(/^[\w/]+:\d+\.\d+$/);
    const commandLines: string[][] = Object.values<any>(ownServices).map(({ command }) => command);
    for (const words of commandLines) await expectCommand(words);
    const roles = ['migrate', 'serve', 'deliver', 'sweep', ...services.map(({ name }) => `work --service ${name}`)];
    expect(commandLines.map((words) => words.join(' ')).sort()).toEqual(roles.sort());
    const targets = (await read('deploy/Dockerfile')).match(/(?<= AS )\S+$/gm);
    for (const { build, command } of Object.values<any>(ownServices)) {
      expect(targets).toContain(build.target);
      expect(build.target).toBe(command[0] === 'work' ? 'worker' : 'gateway');
      expect(build).toMatchObject({ context: '..', dockerfile: 'deploy/Dockerfile' });
    }
    for (const port of services.map(({ settings }) => settings['port']!.displayedDefault)) {
      expect(ownServices.serve.ports).toContain(`127.0.0.1:${port}:${port}`);
      expect(await read('deploy/Dockerfile')).toMatch(new RegExp(`^EXPOSE .*\\b${port}\\b`, 'm'));
      expect(await read('deploy/healthcheck.mjs')).toContain(`: ${port}`);
    }
  });

  it('depends only on its own services and mounts only its own volumes', async () => {
    const { services: containers, volumes } = await compose();
    for (const { depends_on = {}, volumes: mounts = [], profiles = [] } of Object.values<any>(containers)) {
      for (const [name, { required }] of Object.entries<any>(depends_on)) {
        expect(Object.keys(containers)).toContain(name);
        // A dependency on a service of another profile must be optional.
        const { profiles: of = [] } = containers[name];
        if (of.some((each: string) => !profiles.includes(each))) expect(required, name).toBe(false);
      }
      for (const mount of mounts) expect(Object.keys(volumes)).toContain(mount.split(':')[0]);
    }
  });

  it('names only existing settings, and every process starts with them', async () => {
    const known = [coreSettings, databaseSettings, ...services.map(({ settings }) => settings)].flatMap((each) =>
      Object.values(each).map(({ env }) => env),
    );
    const env = await composeEnvironment();
    expect(Object.keys(env).length).toBeGreaterThan(5);
    for (const name of Object.keys(env)) expect(known, name).toContain(name);
    for (const [, name] of (await read('deploy/Dockerfile')).matchAll(/\b([A-Z_]+)=(?!\/?\$)/g)) {
      if (!['NODE', 'NODE_ENV'].includes(name!)) expect(known, name).toContain(name);
    }
    const dataDir = await mkdtemp(join(tmpdir(), 'assay-compose-'));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    const config = await loadConfig({ ...env, APP_ENV: 'production', DATA_DIR: dataDir }, 'serve');
    expect(config.services.map(({ name }) => name)).toEqual(services.map(({ name }) => name));
    expect(JSON.stringify(config.services.map(({ derivedSettings }) => derivedSettings))).not.toMatch(
      /disabled|unconfigured/,
    );
  });

  it('passes each protective setting and the .env file to every process', async () => {
    const { services: containers } = await compose();
    const { postgres, storage, ...ownServices } = containers;
    for (const [name, { environment, env_file }] of Object.entries<any>(ownServices)) {
      for (const setting of ['METRICS_TOKEN', 'COOKIE_SECURE', 'WEBHOOK_LOOPBACK', 'TRUST_PROXY', 'PUBLIC_ORIGINS']) {
        expect(environment[setting], `${setting} of ${name}`).toBe(`\${${setting}:-}`);
      }
      // The last one wins.
      const own = name === 'work-stt' ? ['stt.env'] : [];
      expect(env_file, name).toEqual([...own, { path: '.env', required: false }]);
    }
  });

  it('configures the bundled storage with the bucket name and keys of the services', async () => {
    const { services: containers } = await compose();
    const { environment, command, healthcheck } = containers.storage;
    const listed = /^FILES_URL=(.*)$/m.exec(await read('deploy/compose.env.example'))![1]!;
    const { endpoint, name, prefix } = readBucketUrl(listed);
    expect({ name, prefix }).toEqual({ name: environment.S3_BUCKET, prefix: '' });
    expect(new URL(endpoint).hostname).toBe('storage');
    expect(command).toContain(`-ip=${new URL(endpoint).hostname}`);
    expect(healthcheck.test.join(' ')).toContain(new URL(endpoint).port);
    const serviceEnvironment = containers.serve.environment;
    expect(environment.AWS_ACCESS_KEY_ID).toBe(serviceEnvironment.S3_ACCESS_KEY_ID);
    expect(environment.AWS_SECRET_ACCESS_KEY).toBe(serviceEnvironment.S3_SECRET_ACCESS_KEY);
    expect(containers.storage.ports).toBeUndefined();
  });

  it('starts without a bucket, also with a .env file from before buckets were supported', async () => {
    const text = await read('deploy/compose.yaml');
    const demanded = [...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name!);
    expect(demanded.filter((name) => /^(FILES_|S3_)/.test(name))).toEqual([]);
    expect(demanded).toContain('POSTGRES_PASSWORD');
    const { services: containers } = await compose();
    const optional = Object.values<any>(containers).flatMap(({ profiles = [] }) => profiles);
    expect(optional).toEqual([/^COMPOSE_PROFILES=(.*)$/m.exec(await read('deploy/compose.env.example'))![1]]);
    const dataDir = await mkdtemp(join(tmpdir(), 'assay-compose-'));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    const env = { ...(await composeEnvironment()), APP_ENV: 'production', DATA_DIR: dataDir };
    expect(env).toMatchObject({ FILES_URL: '', S3_ACCESS_KEY_ID: '', S3_SECRET_ACCESS_KEY: '' });
    const config = await loadConfig(env, 'serve');
    expect(await openFileStore(config)).not.toHaveProperty('bucket');
    const forgotten = loadConfig({ ...env, FILES_URL: 's3://assay?endpoint=http://storage:8333' }, 'serve');
    await expect(forgotten).rejects.toThrow('FILES_URL requires S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.');
  });

  it('uses exactly the variables in its example', async () => {
    const used = [...(await read('deploy/compose.yaml')).matchAll(/\$\{(\w+)/g)].map(([, name]) => name!);
    const listed = [...(await read('deploy/compose.env.example')).matchAll(/^(\w+)=/gm)].map(([, name]) => name!);
    expect(listed.sort()).toEqual([...new Set([...used, 'COMPOSE_PROFILES'])].sort());
  });
});

it('The environment of speech workers is that of `assay start`', async () => {
  const text = await readFile(join(REPOSITORY, 'deploy/stt.env'), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(Object.fromEntries(lines.map((line) => line.split('=')))).toEqual(RETURN_FREED_MEMORY);
});

describe('The systemd units', () => {
  const folder = join(REPOSITORY, 'deploy/systemd');

  it('start existing commands', async () => {
    let seen = 0;
    for (const name of await readdir(folder)) {
      for (const [, line] of (await readFile(join(folder, name), 'utf8')).matchAll(/^Exec\w+=(.*)$/gm)) {
        const words = /\/usr\/bin\/node --enable-source-maps dist\/main\.js (.*?)'?$/.exec(line!)![1]!.split(' ');
        if (words[0] !== 'backup') await expectCommand(words.map((word) => (word === '%i' ? 'stt' : word)));
        else expect(await commands()).toContain('backup');
        seen++;
      }
    }
    expect(seen).toBeGreaterThan(5);
  });

  it('are well-formed and pass `systemd-analyze verify` if it is installed', async () => {
    const files = await readdir(folder);
    for (const name of files) {
      const lines = (await readFile(join(folder, name), 'utf8')).split('\n');
      expect(lines.filter((line) => !/^(|#.*|\[(Unit|Service|Timer|Install)\]|[A-Z]\w+=.*)$/.test(line))).toEqual([]);
      expect(lines[0]).toMatch(/^# |^\[Unit\]$/);
    }
    if (!(await run('systemd-analyze', ['--version']).then(...TO_BOOLEAN))) return;
    const units = await mkdtemp(join(tmpdir(), 'assay-units-'));
    onTestFinished(() => rm(units, { recursive: true }));
    const verify = async (change: (text: string) => string) => {
      const paths = files.map((name) => join(units, name.replace('@.', '@stt.')));
      for (const [i, name] of files.entries()) {
        const text = await readFile(join(folder, name), 'utf8');
        await writeFile(paths[i]!, change(text.replaceAll('/usr/bin/node', process.execPath)));
      }
      const { stdout, stderr } = await run('systemd-analyze', ['verify', ...paths]).catch((error) => error);
      return `${stdout}${stderr}`.split('\n').filter((line) => line.includes(units));
    };
    expect(await verify((text) => text)).toEqual([]);
    const mistaken = (text: string) => text.replace('Restart=always', 'Restart=maybe').replace('UMask', 'UMusk');
    expect(await verify(mistaken)).not.toEqual([]);
  });
});

const TO_BOOLEAN = [() => true, () => false] as const;
