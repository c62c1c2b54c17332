import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { COLOURS, installColours } from '../../../../test/support/ml/model.ts';
import { parseHeads } from '../../../ml/heads.ts';
import { openModelDirectory } from '../../../ml/model-directory.ts';
import { infer as runVersion } from '../model/model-version.ts';
import { openModelVersions } from '../model/versions.ts';
import { parseCsv } from './csv.ts';
import { assignSplits } from './split.ts';
import { type TrainOptions, train } from './train.ts';
import { trainAnomaly } from './train-anomaly.ts';

let tempFolder: string;
let folder: string;
let shipped: string;
let dataDir: string;
let output: string[];

beforeEach(async () => {
  tempFolder = await mkdtemp(join(tmpdir(), 'assay-train-'));
  onTestFinished(() => rm(tempFolder, { recursive: true, force: true }));
  [folder, shipped, dataDir] = [join(tempFolder, 'photos'), join(tempFolder, 'shipped'), join(tempFolder, 'data')];
  await mkdir(folder);
  await installColours(shipped, '1.0.0');
  output = [];
});

const run = (options: Partial<TrainOptions> = {}) =>
  train({
    folder,
    dataDir,
    shipped,
    log: (line) => output.push(line),
    now: new Date('2026-03-04T12:00:00Z'),
    ...options,
  });

const SHADES = { rust: [200, 40, 30], moss: [40, 190, 50], damp: [30, 50, 200], plain: [200, 200, 200] } as const;

/** A photo of about this colour, different for each `n`. */
async function photo(path: string, shade: keyof typeof SHADES, n: number): Promise<void> {
  const [r, g, b] = SHADES[shade].map((value, c) => value + ((n * 7 + c * 13) % 40) - 20) as [number, number, number];
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await sharp({ create: { width: 32, height: 32, channels: 3, background: { r, g, b } } })
    .png()
    .toFile(join(folder, path));
}
const photos = (shade: keyof typeof SHADES, into: string, count = 20) =>
  Promise.all(Array.from({ length: count }, (_, n) => photo(`${into}/${n}.png`, shade, n)));

/** The new version's results for a photo with these colours. */
async function infer(version: string, shadeAt: (x: number, y: number) => readonly number[]) {
  const models = await openModelDirectory([shipped, join(dataDir, 'models', 'defectoscopy')], () => {});
  const versions = openModelVersions(models);
  try {
    const model = (await versions.get(version))!;
    const pixels = new Uint8Array(32 * 32 * 3).map((_, i) => {
      const at = Math.floor(i / 3);
      return shadeAt(at % 32, at >> 5)[i % 3]!;
    });
    return await runVersion(model, { pixels, width: 32, height: 32 }, new AbortController().signal);
  } finally {
    models.close();
    await versions.close();
  }
}

/** The new version's result for a photo of this colour. */
const classify = async (version: string, shade: keyof typeof SHADES) =>
  (await infer(version, () => SHADES[shade])).recorded;

describe('assay train', () => {
  test('learns defects from folders named by defect and keeps the shipped surface head', async () => {
    await photos('rust', 'rust stain');
    await photos('moss', 'moss');
    await photos('plain', 'sound');
    const { version, reports } = await run();
    expect(version).toBe('2026-03-04.1');
    expect(reports['defects']).toMatchObject({ split: 'test', accuracy: 1 });
    expect(output.join('\n')).toContain('60 images in folders named by defect');
    expect(output.join('\n')).toContain('surface head of version 1.0.0 is used');
    expect(output.join('\n')).toContain('node scripts/assay.mjs models promote 2026-03-04.1');

    const rust = await classify(version, 'rust');
    expect(rust).toMatchObject({ surface: 'wall', defects: [{ name: 'rust stain' }], model_version: version });
    expect(rust.masters.map(({ name }) => name).sort()).toEqual(['moss', 'rust stain', 'sound']);
    expect((await classify(version, 'plain')).defects).toEqual([]);
  });

  test('learns surfaces, groups and defects from folders surface/master/defect', { tags: ['full'] }, async () => {
    await photos('rust', 'wall/stains/rust');
    await photos('damp', 'wall/stains/damp');
    await photos('moss', 'roof/growth/moss');
    await photos('plain', 'roof/sound');
    const { version } = await run({ name: 'roofs' });
    expect(await classify(version, 'moss')).toMatchObject({ surface: 'roof', defects: [{ name: 'moss' }] });
    expect(await classify(version, 'damp')).toMatchObject({
      surface: 'wall',
      masters: [{ name: 'stains' }, {}, {}],
      defects: [{ name: 'damp' }],
    });
    const manifest = JSON.parse(await readFile(join(dataDir, 'models/defectoscopy/roofs/manifest.json'), 'utf8'));
    expect(manifest.taxonomy.masters).toEqual({ stains: ['damp', 'rust'], growth: ['moss'], sound: [] });
  });

  test('uses the classes, groups and splits of labels.csv', async () => {
    const rows = ['file,surface,master,defect,group,split'];
    for (const [shade, defect, master] of [
      ['rust', 'crack', 'cracking'],
      ['plain', '', ''],
    ] as const) {
      await photos(shade, shade, 12);
      for (let n = 0; n < 12; n++)
        rows.push(`${shade}/${n}.png,wall,${master},${defect},g${n},${['train', 'train', 'val', 'test'][n % 4]}`);
    }
    await writeFile(join(folder, 'labels.csv'), `\uFEFF${rows.join('\r\n')}\r\n`);
    const { reports } = await run();
    expect(output).toContain('12 training, 6 validation and 6 test images.');
    expect(reports['defects']).toMatchObject({ split: 'test', images: 6, accuracy: 1 });
  });

  test('assigns a known defect to its group in the shipped model', { tags: ['full'] }, async () => {
    await photos('rust', 'crack');
    await photos('moss', 'moss');
    const { version } = await run();
    expect((await classify(version, 'rust')).masters[0]!.name).toBe('cracking');
    expect(output.join('\n')).toContain('no image is labelled sound');
  });

  test('computes each image once and reads its features from the cache in the next run', {
    tags: ['full'],
  }, async () => {
    await photos('rust', 'rust');
    await photos('moss', 'moss');
    await run();
    const cache = join(dataDir, 'cache', 'features');
    const kept = (await readdir(cache, { recursive: true })).filter((name) => name.endsWith('.f32'));
    expect(kept).toHaveLength(40);
    const written = (await stat(join(cache, kept[0]!))).mtimeMs;
    const { version } = await run();
    expect(version).toBe('2026-03-04.2');
    expect((await stat(join(cache, kept[0]!))).mtimeMs).toBe(written);
  });

  test('skips unreadable images and warns of small classes', async () => {
    await photos('rust', 'rust');
    await photos('moss', 'moss', 3);
    await writeFile(join(folder, 'rust', 'broken.jpg'), 'no picture');
    await run();
    expect(output.filter((line) => line.startsWith('Skipped'))).toEqual([
      expect.stringMatching(/broken\.jpg: The file is not an image/),
    ]);
    expect(output).toContain('Warning: moss has only 3 images. Use at least 10, preferably 50.');
  });

  test('installs a version with all of its files except the shared backbone', async () => {
    await photos('rust', 'rust');
    await photos('moss', 'moss');
    await run({ name: 'mine' });
    const root = join(dataDir, 'models', 'defectoscopy');
    expect(await readdir(root)).toEqual(['mine']);
    expect((await readdir(join(root, 'mine'))).sort()).toEqual([
      ...['card.md', 'familiarity.json', 'heads.json', 'manifest.json'],
    ]);
    const { heads } = parseHeads(await readFile(join(root, 'mine', 'heads.json'), 'utf8'));
    expect(heads['surface']).toEqual(COLOURS.surface);
    expect(await readFile(join(root, 'mine', 'card.md'), 'utf8')).toContain('| `rust` |');
  });

  test('the new version warns of photos that differ from its training photos', async () => {
    await photos('rust', 'rust', 50);
    await photos('moss', 'moss', 50);
    const { version } = await run();
    const familiar = await classify(version, 'rust');
    expect(familiar.familiarity).toBeGreaterThan(0.05);
    expect(familiar).not.toHaveProperty('warnings');
    expect(await classify(version, 'damp')).toMatchObject({ familiarity: 0, warnings: ['UNFAMILIAR_IMAGE'] });
    expect(await classify('1.0.0', 'damp')).not.toHaveProperty('familiarity');
  });

  test.each([
    ['an existing name', { name: '1.0.0' }, 'Version 1.0.0 already exists'],
    ['a name with a path', { name: '../mine' }, 'is not a valid version name'],
    ['a missing folder', { folder: '/nowhere/at/all' }, '(ENOENT)'],
  ])('reports %s as an error', async (_, options, sentence) => {
    await expect(run(options)).rejects.toThrow(sentence);
  });

  test('reports an invalid training folder as an error', async () => {
    await expect(run()).rejects.toThrow('No images');
    await photos('rust', 'rust', 2);
    await expect(run()).rejects.toThrow('At least two classes');
    await photo('loose.png', 'moss', 1);
    await expect(run()).rejects.toThrow('Unknown layout');
    await writeFile(join(folder, 'labels.csv'), 'file,label\nrust/1.png,rust\n');
    await expect(run()).rejects.toThrow('has no column defect');
    await writeFile(join(folder, 'labels.csv'), 'file,defect,split\nrust/1.png,rust,exam\n');
    await expect(run()).rejects.toThrow('row 2: the split must be train, val or test, not exam');
  });
});

describe('assay train --anomaly', () => {
  const runAnomaly = (options: Partial<TrainOptions> = {}) =>
    trainAnomaly({ folder, dataDir, shipped, log: (line) => output.push(line), ...options });

  test('reports what deviates from photos without defects, and where', async () => {
    await photos('plain', 'wall', 25);
    const { version } = await runAnomaly({ name: 'plain-walls' });
    expect(output.join('\n')).toContain('25 photos without defects');
    // The colour of another photo of this series.
    const colour = [190, 203, 216];
    const { recorded: plain } = await infer(version, () => colour);
    expect(plain).toMatchObject({ surface: expect.any(String), defects: [], masters: [{ name: 'sound' }, {}] });
    const rust = await infer(version, (x, y) => (x < 16 && y < 16 ? SHADES.rust : colour));
    expect(rust.recorded.defects).toMatchObject([{ name: 'deviation' }]);
    const { width, height, maps } = rust.attachment;
    expect([width, height]).toEqual([4, 4]);
    const hot = [...Buffer.from(maps['deviation']!, 'base64')].map((value) => (value > 127 ? '#' : '.')).join('');
    expect(hot).toBe('##..##..........');
  });

  test('rejects a folder with too few readable photos and names the minimum', async () => {
    await photos('plain', 'wall', 19);
    await expect(runAnomaly()).rejects.toThrow('has 19 readable photos. Training without labels needs at least 20');
    await writeFile(join(folder, 'wall', 'broken.jpg'), 'no picture');
    await expect(runAnomaly()).rejects.toThrow('has 19 readable photos');
    expect(output.join('\n')).toContain('Skipped');
    await expect(runAnomaly({ folder: join(tempFolder, 'none') })).rejects.toThrow('ENOENT');
  });
});

describe('assignSplits', () => {
  const samples = Array.from({ length: 200 }, (_, i) => ({
    path: String(i),
    master: 'm',
    defect: i % 4 === 0 ? 'rare' : 'common',
    group: `tile ${i % 4 === 0 ? i >> 3 : `c${i >> 2}`}`,
  }));

  test('keeps groups together, splits every class by the same shares, and is deterministic', () => {
    const splits = assignSplits(samples, 5);
    expect(assignSplits(samples, 5)).toEqual(splits);
    expect(assignSplits(samples, 6)).not.toEqual(splits);
    const byGroup = new Map<string, Set<string>>();
    for (const [i, { group }] of samples.entries())
      byGroup.set(group, (byGroup.get(group) ?? new Set()).add(splits[i]!));
    expect([...byGroup.values()].every((set) => set.size === 1)).toBe(true);
    for (const defect of ['rare', 'common']) {
      const splitsOfClass = splits.filter((_, i) => samples[i]!.defect === defect);
      expect(splitsOfClass.filter((split) => split === 'train').length / splitsOfClass.length).toBeCloseTo(0.7, 1);
      expect(new Set(splitsOfClass)).toEqual(new Set(['train', 'val', 'test']));
    }
  });

  test('keeps labelled splits and takes a missing val split from train', () => {
    const given = samples.map((sample) => ({
      ...sample,
      group: sample.path,
      split: Number(sample.path) < 150 ? ('train' as const) : ('test' as const),
    }));
    const splits = assignSplits(given, 1);
    expect(splits.slice(150).every((split) => split === 'test')).toBe(true);
    expect(new Set(splits.slice(0, 150))).toEqual(new Set(['train', 'val']));
  });

  test('rejects labels that divide a group', () => {
    const dividedGroup = [
      { ...samples[0]!, split: 'train' as const },
      { ...samples[0]!, split: 'test' as const },
    ];
    expect(() => assignSplits(dividedGroup, 1)).toThrow('would be invalid');
  });
});

test('parseCsv supports quotes, commas, all line ends and empty lines', () => {
  expect(parseCsv('\uFEFFFile, Defect\r\n"a,b.jpg","say ""crack"""\n\nc.jpg,\n')).toEqual([
    { file: 'a,b.jpg', defect: 'say "crack"' },
    { file: 'c.jpg', defect: '' },
  ]);
  expect(parseCsv('')).toEqual([]);
});
