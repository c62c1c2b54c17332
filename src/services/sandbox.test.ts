import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../base/api-error.ts';
import { sandbox as defectoscopy } from './defectoscopy/sandbox.ts';
import { sandbox as passports } from './passports/sandbox.ts';
import type { SandboxInput } from './shared/sandbox/sandbox.ts';
import { sandbox as stt } from './stt/sandbox.ts';

const SERVICES = { defectoscopy, stt, passports };
const SRC = new URL('../', import.meta.url);

/** The rows of the tables of a section of docs/sandbox.md: names, services, and the last cell. */
const rowsOf = (heading: string) =>
  readFileSync(new URL('../docs/sandbox.md', SRC), 'utf8')
    .split(/^## /m)
    .find((section) => section.startsWith(`${heading}\n`))!
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [names = '', services = '', last = ''] = line.split('|').slice(1, -1);
      return {
        names: names.match(/\w+/g) ?? [],
        services: services.trim() === 'all' ? ALL : services,
        last: last.trim(),
      };
    });
const ALL = Object.keys(SERVICES).join();

it('The sandbox of every service is compared with docs/sandbox.md', () => {
  const folders = readdirSync(new URL('services/', SRC)).filter((name) =>
    existsSync(new URL(`services/${name}/sandbox.ts`, SRC)),
  );
  expect(Object.keys(SERVICES).toSorted()).toEqual(folders.toSorted());
});

const statusOf = ({ response, once }: SandboxInput): number | undefined => {
  const error = once ? undefined : response?.();
  return error && (error instanceof ApiError ? error.status : 422);
};

describe.each(Object.entries(SERVICES))('docs/sandbox.md', (service, { inputs }) => {
  const documented = (...headings: string[]) =>
    headings.flatMap(rowsOf).flatMap(({ names, services }) => (services.includes(service) ? names : []));

  it(`lists exactly the inputs of ${service}`, () => {
    const listed = documented('Tasks', 'Failed tasks', 'Callbacks', 'Error responses');
    expect(listed.toSorted()).toEqual([...inputs.keys()].toSorted());
  });

  it(`has the HTTP status of each error response of ${service}`, () => {
    const rows = rowsOf('Error responses').filter(({ services }) => services.includes(service));
    const listed = rows.flatMap(({ names, last }) => names.map((name) => [name, last]));
    const expected = listed.map(([name, last]) => [name, String(statusOf(inputs.get(name!)!) ?? last)]);
    expect(listed).toEqual(expected);
  });
});

it('Each error code of the services with tasks has a sandbox input, or a reason in docs/sandbox.md', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.|(?:^|\/)(?:catalog|client|conform)\//.test(path));
  const codes = files.flatMap((path) =>
    [...readFileSync(new URL(path, SRC), 'utf8').matchAll(/\b(?:ApiError|super|fieldError)\(\s*'([A-Z_]+)'/g)].map(
      ([, code]) => code!,
    ),
  );
  expect(codes.length).toBeGreaterThan(50);
  const simulated = new Set(Object.values(SERVICES).flatMap(({ inputs }) => [...inputs.keys()]));
  const others = rowsOf('Codes without an input').flatMap(({ names }) => names);
  expect([...new Set(codes)].filter((code) => !simulated.has(code)).toSorted()).toEqual(others.toSorted());
});
