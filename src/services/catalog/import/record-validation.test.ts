import { describe, expect, it } from 'vitest';
import { parseAllowList } from '../../../base/addresses.ts';
import { createImagePolicy } from '../url-policy.ts';
import { readRecords } from './record-validation.ts';

const PUBLIC = { kind: 'public' } as const;

const readOne = (record: unknown) => {
  const { records, failed } = readRecords([record], PUBLIC);
  return records[0] ?? failed[0]!.detail.map(({ loc, type }) => `${loc.at(-1)} ${type}`);
};

describe('an imported record', () => {
  it.each([
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20T10:20:30.123456Z', '2026-11-20T10:20:30.123Z'],
    ['2026-11-20 10:20', '2026-11-20T10:20:00.000Z'],
    ['2026-11-20t10:20:30+03:00', '2026-11-20T07:20:30.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ])('accepts the date %s', (created_at, iso) => {
    expect(readOne({ record_id: 'a', created_at })).toEqual({ recordId: 'a', createdAt: new Date(iso) });
  });

  it.each(['2026-02-29', '2026-13-01', '0099-01-01', '20.11.2026', '2026-11-20T25:00Z', '1795046400', 'today', '2026'])(
    'rejects the date %s',
    (created_at) => {
      expect(readOne({ record_id: 'a', created_at })).toEqual(['created_at datetime_parsing']);
    },
  );

  it.each([
    ['https://storage.example.com/a.jpg', true],
    ['http://storage.example.com/a.jpg', false],
    ['https://127.0.0.1/a.jpg', false],
    ['https://metadata.internal/a.jpg', false],
    ['https://user:secret@example.com/a.jpg', false],
    ['https://example.com:8443/a.jpg', false],
    ['file:///etc/passwd', false],
  ])('accepts the image URL %s: %s', (image_url, accepted) => {
    expect(readOne({ record_id: 'a', image_url })).toEqual(
      accepted ? { recordId: 'a', imageUrl: image_url } : ['image_url url_parsing'],
    );
  });

  it.each([
    [
      { project: ' A ', tags: ['x', 'y, z', 'x '] },
      { project: 'A', tags: ['x', 'y, z'] },
    ],
    [{ tags: 'x, y,' }, { tags: ['x', 'y'] }],
    [{ project: '', tags: [] }, {}],
    [{ project: 'x'.repeat(101) }, undefined],
    [{ tags: [7] }, undefined],
    [{ tags: Array.from({ length: 21 }, String) }, undefined],
  ])('reads the project and the tags %j as %j', (given, expected) => {
    const [field] = Object.keys(given);
    const rejected = [expect.stringMatching(new RegExp(`^${field} (?:value_error|list_type)$`))];
    expect(readOne({ record_id: 'a', ...given })).toEqual(expected ? { recordId: 'a', ...expected } : rejected);
  });

  it('accepts an image URL on an allowlisted private host', () => {
    const record = { record_id: 'a', image_url: 'https://nas.internal/a.jpg' };
    const allowList = parseAllowList({ hosts: ['nas.internal'], cidrs: [] });
    expect(readRecords([record], { kind: 'public', allowList }).records).toEqual([
      { recordId: 'a', imageUrl: record.image_url },
    ]);
  });

  it('accepts the URL of an Assay file and rejects other internal hosts', () => {
    const images = createImagePolicy({
      filesHost: 'files.assay.internal',
      allowList: parseAllowList({ hosts: [], cidrs: [] }),
    });
    const record = { record_id: 'a', image_url: 'https://files.assay.internal/01KAF3M9WZ7Y5T2Q8C4N6B1D0E' };
    expect(readRecords([record], images).records).toEqual([{ recordId: 'a', imageUrl: record.image_url }]);
    const other = { record_id: 'a', image_url: 'https://queue.assay.internal/01KAF3M9WZ7Y5T2Q8C4N6B1D0E' };
    expect(readRecords([other], images).failed).toHaveLength(1);
  });

  it('produces at most 20 error details', () => {
    const record = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`f${i}`, 0]));
    expect(readRecords([record], PUBLIC).failed[0]?.detail).toHaveLength(20);
  });

  it('treats null and empty text as absent', () => {
    expect(
      readOne({ record_id: ' a ', title: '', text: null, attributes: null, image_url: '', created_at: null }),
    ).toEqual({
      recordId: 'a',
    });
  });

  it('requires an id that is not a task id', () => {
    const rejected = { '': 'string_too_short', ' \0 ': 'string_too_short', '.': 'value_error', 'stt:1': 'value_error' };
    for (const [record_id, type] of Object.entries(rejected)) {
      expect(readOne({ record_id })).toEqual([`record_id ${type}`]);
    }
    expect(readOne({ record_id: null })).toEqual(['record_id missing']);
    expect(readOne({ record_id: 7 })).toEqual(['record_id string_type']);
    expect(readOne({ record_id: 'мост:7/а?#' })).toEqual({ recordId: 'мост:7/а?#' });
  });

  it('rejects attributes that are too deep, too large or not an object', () => {
    let deep: object = {};
    for (let i = 0; i < 20_000; i++) deep = [deep];
    for (const attributes of [{ deep }, { a: 'я'.repeat(9000) }, [], 'text', 7]) {
      expect(readOne({ record_id: 'a', attributes })).toMatchObject([expect.stringMatching(/^attributes /)]);
    }
  });
});
