import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type CrossFieldRule,
  choice,
  flag,
  integer,
  list,
  readSettings,
  SettingsError,
  secondsList,
  secret,
  text,
} from './settings.ts';

const settings = {
  port: integer('PORT', 8001, 'A port.', { max: 65_535 }),
  mode: choice('MODE', ['a', 'b'], 'a', 'A mode.'),
  hosts: list('HOSTS', [], 'Hosts.'),
  open: flag('OPEN', false, 'Open.'),
  name: text('NAME', undefined, 'A name.'),
  schedule: secondsList('SCHEDULE', [0, 5], 'A schedule.'),
  tokens: secret('TOKENS', 'Tokens.'),
};

describe('readSettings', () => {
  it('returns defaults for missing and empty variables', () => {
    const defaults = { port: 8001, mode: 'a', hosts: [], open: false, name: undefined, schedule: [0, 5] };
    expect(readSettings(settings, {})).toEqual({ ...defaults, tokens: undefined });
    const empty = { PORT: '', MODE: ' ', HOSTS: '\n', OPEN: '', NAME: '', SCHEDULE: '', TOKENS: '' };
    expect(readSettings(settings, empty)).toEqual({ ...defaults, tokens: '' });
  });

  it('parses each kind of setting', () => {
    const env = {
      PORT: '80',
      MODE: 'b',
      HOSTS: ' x, ,y ',
      OPEN: 'yes',
      NAME: ' n ',
      SCHEDULE: '0, 1,2',
      TOKENS: ' t ',
    };
    expect(readSettings(settings, env)).toEqual({
      port: 80,
      mode: 'b',
      hosts: ['x', 'y'],
      open: true,
      name: 'n',
      schedule: [0, 1, 2],
      tokens: 't',
    });
  });

  it('trims the text of all kinds of settings', () => {
    const env = {
      PORT: '80\n',
      MODE: '\tb',
      HOSTS: 'x\r\n',
      OPEN: 'yes\n',
      NAME: 'n\n',
      SCHEDULE: '1\n',
      TOKENS: 't\n',
    };
    const plain = { PORT: '80', MODE: 'b', HOSTS: 'x', OPEN: 'yes', NAME: 'n', SCHEDULE: '1', TOKENS: 't' };
    expect(readSettings(settings, env)).toEqual(readSettings(settings, plain));
  });

  it('rejects a blank secret and a list without entries', () => {
    for (const TOKENS of [' ', '\n', '\t \r\n']) {
      expect(() => readSettings(settings, { TOKENS })).toThrow('TOKENS: is only white space: write a value');
    }
    expect(() => readSettings(settings, { HOSTS: ' , ' })).toThrow('HOSTS: has no entry: write at least one');
  });

  it('reports all problems at once, one line per variable', () => {
    const wrong = { PORT: '70000', MODE: 'c', OPEN: 'perhaps', SCHEDULE: 'soon' };
    expect(() => readSettings(settings, wrong)).toThrow(SettingsError);
    const problem = (() => {
      try {
        readSettings(settings, wrong);
      } catch (error) {
        return (error as Error).message;
      }
      return '';
    })();
    expect(problem.split('\n').map((line) => line.split(':')[0])).toEqual(['PORT', 'MODE', 'OPEN', 'SCHEDULE']);
  });

  it('reports violated cross-field rules together with other problems, if the fields are valid', () => {
    const agreements: CrossFieldRule<typeof settings>[] = [
      {
        fields: ['port', 'mode'],
        check({ port, mode }) {
          if (mode === 'b' && port !== 1) throw new Error('MODE b needs PORT 1.');
        },
      },
    ];
    const read = (env: Record<string, string>) => () => readSettings(settings, env, agreements);
    expect(read({ MODE: 'b', PORT: '1' })().port).toBe(1);
    expect(read({ MODE: 'b', OPEN: 'x' })).toThrow(/^OPEN: .*\nMODE b needs PORT 1\.$/);
    expect(read({ MODE: 'b', PORT: 'x' })).toThrow(/^PORT: [^\n]*$/);
  });

  it.each(['-1', 'Infinity', '1728001', 'NaN', ',', '0,,x'])('rejects %s as a list of seconds', (SCHEDULE) => {
    expect(() => readSettings(settings, { SCHEDULE })).toThrow(/^SCHEDULE: must be a list of seconds/);
  });

  it('reads a secret from a file, but rejects a file and a variable together', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'assay-settings-'));
    const file = join(folder, 'tokens');
    await writeFile(file, 'one,two\n');
    expect(readSettings(settings, { TOKENS_FILE: file }).tokens).toBe('one,two');
    expect(() => readSettings(settings, { TOKENS_FILE: file, TOKENS: 'x' })).toThrow(/not both/);
    expect(() => readSettings(settings, { TOKENS_FILE: `${file}.none` })).toThrow(/cannot be read/);
    expect(() => readSettings(settings, { TOKENS_FILE: '' })).toThrow(/cannot be read/);
    for (const nothing of ['', '\n', ' \r\n\t']) {
      await writeFile(file, nothing);
      expect(() => readSettings(settings, { TOKENS_FILE: file })).toThrow('TOKENS_FILE names an empty file.');
    }
    await rm(folder, { recursive: true });
  });
});
