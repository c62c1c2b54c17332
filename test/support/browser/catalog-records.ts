import { readFile } from 'node:fs/promises';
import type { JsonObject } from '../../../src/base/json.ts';
import { createEntry } from '../../../src/services/catalog/records/entry.ts';
import { writeRecords } from '../../../src/services/catalog/records/write.ts';
import type { RecordDraft } from '../../../src/services/shared/records.ts';
import type { Catalog } from '../catalog.ts';
import { createWallPhoto } from './photos.ts';

const HOUR_MS = 3_600_000;
const NOON = Date.parse('2026-11-19T12:00:00Z');
const hoursAgo = (hours: number) => new Date(NOON - hours * HOUR_MS);

/** A heatmap of 6 × 4 with the maximum in the upper left. */
const SPOT = Buffer.from([
  255, 220, 90, 20, 0, 0, 220, 180, 60, 10, 0, 0, 80, 50, 20, 0, 0, 0, 20, 10, 0, 0, 0, 0,
]).toString('base64');

export const PHOTO: RecordDraft = {
  ...{ taskId: 'photo-000000000000000001', status: 'done', createdAt: hoursAgo(1), title: 'wall-17.jpg' },
  text: 'concrete wall, crack, fair corrosion\nбетонная стена, трещина, слабая коррозия',
  surface: 'concrete_wall',
  master: { name: 'cracking', conf: 0.93 },
  defects: [
    { name: 'crack', conf: 0.913 },
    { name: 'fair_corrosion', conf: 0.31 },
  ],
  result: {
    surface: 'concrete_wall',
    masters: [
      { name: 'cracking', conf: 0.93 },
      { name: 'corrosion', conf: 0.05 },
      { name: 'sound', conf: 0.02 },
    ],
    defects: [
      { name: 'crack', conf: 0.913 },
      { name: 'fair_corrosion', conf: 0.31 },
    ],
    model_version: '1.0.0',
  },
};
export const PHOTO_ID = `defectoscopy:${PHOTO.taskId}`;

export const SPEECH: RecordDraft = {
  ...{ taskId: 'voice-000000000000000001', status: 'done', createdAt: hoursAgo(2) },
  title: 'На третьем этаже осмотрели перекрытие, есть сквозная трещина…',
  text: 'На третьем этаже осмотрели перекрытие, есть сквозная трещина. Нужен ремонт до зимы.',
  result: {
    transcription: 'На третьем этаже осмотрели перекрытие, есть сквозная трещина. Нужен ремонт до зимы.',
    ...{ service: 'local', language: 'ru', duration_seconds: 6.2 },
    segments: [
      { start: 0, end: 3.6, text: 'На третьем этаже осмотрели перекрытие, есть сквозная трещина.' },
      { start: 3.9, end: 6.2, text: 'Нужен ремонт до зимы.' },
    ],
  },
};
export const SPEECH_ID = `stt:${SPEECH.taskId}`;

const localized = (en: string, ru: string): JsonObject => ({ en, ru });
const GENERAL = localized('General', 'Общие сведения');
const ROOMS = localized('Rooms', 'Помещения');
const field = (key: string, section: JsonObject, label: JsonObject, value: string | number, more: JsonObject = {}) => ({
  ...{ key, section, label, value, confidence: 0.94, source: 'text', page: 1, bbox: null },
  ...more,
});

export const DOCUMENT: RecordDraft = {
  ...{ taskId: '01938b7e-0000-7000-8000-000000000001', status: 'done', createdAt: hoursAgo(3) },
  title: 'Паспорт кв. 37 — Садовая.pdf',
  text: 'г. Энск, ул. Садовая, д. 7\n1978\nкухня\n9.1',
  result: {
    filename: 'Паспорт кв. 37 — Садовая.pdf',
    fields: [
      field('general:address', GENERAL, localized('Address', 'Адрес'), 'г. Энск, ул. Садовая, д. 7', {
        bbox: [0.12, 0.1, 0.62, 0.14],
      }),
      field('general:year_built', GENERAL, localized('Year built', 'Год постройки'), 1978, {
        bbox: [0.12, 0.2, 0.3, 0.24],
        confidence: 0.71,
      }),
      field('general:issue_date', GENERAL, localized('Date of issue', 'Дата выдачи'), '2009-03-12'),
      field('rooms:1.name', ROOMS, localized('Room', 'Помещение'), 'кухня', { row: 1, page: 2 }),
      field('rooms:1.area', ROOMS, localized('Area, m²', 'Площадь, м²'), 9.1, { row: 1, page: 2 }),
      field('rooms:2.name', ROOMS, localized('Room', 'Помещение'), 'жилая', { row: 2, page: 2 }),
    ],
    pages: 2,
    sheets: [
      { page: 1, width: 600, height: 400, turn: 0 },
      { page: 2, width: 600, height: 400, turn: 0 },
    ],
  },
};
export const DOCUMENT_ID = `passports:${DOCUMENT.taskId}`;

export const FAILED: RecordDraft = {
  ...{ taskId: 'photo-000000000000000002', status: 'failed', createdAt: hoursAgo(4), title: 'broken.jpg' },
  text: 'The image is damaged or incomplete.',
  result: { error: 'The image is damaged or incomplete.', error_code: 'IMAGE_CORRUPT' },
};
export const FAILED_ID = `defectoscopy:${FAILED.taskId}`;

/** A title that attempts script injection and text direction override. */
export const HOSTILE_TITLE = `"><img src=x onerror=alert(1)>\u202Egpj.exe`;
export const HOSTILE_ID = `"'><script>alert(1)</script>&?#/../x`;

export async function seedRecords(catalog: Catalog): Promise<void> {
  const { db } = catalog.context;
  await db.transaction((tx) =>
    writeRecords(tx, [
      createEntry('passports', DOCUMENT),
      createEntry('stt', { ...SPEECH, sound: { fileKey: 'gone' } }),
      createEntry('defectoscopy', FAILED),
      createEntry('defectoscopy', PHOTO),
    ]),
  );
  const maps = { width: 6, height: 4, maps: { crack: SPOT, fair_corrosion: SPOT, cracking: SPOT } };
  await db.query(
    'update catalog_details set attachment = $2 where number = (select number from catalog_records where record_id = $1)',
    [PHOTO_ID, JSON.stringify(maps)],
  );
  await catalog.seed([
    {
      recordId: 'bridge-7',
      title: 'Мост № 7, опора 3',
      text: 'Штукатурка отслаивается на площади около двух метров. Осмотр повторить весной.',
      attributes: { inspector: 'Ёлкина Л. Ф.', floor: 3, tags: ['штукатурка', 'опора'] },
      createdAt: hoursAgo(30),
    },
    { recordId: HOSTILE_ID, title: HOSTILE_TITLE, text: '<script>alert(2)</script>', createdAt: hoursAgo(40) },
  ]);
  const picture = { bytes: await createWallPhoto(), width: 600, height: 400 };
  for (const id of [PHOTO_ID, DOCUMENT_ID]) await catalog.seedPicture(id, picture);
}

export async function seedAudio(catalog: Catalog): Promise<void> {
  const { db, files } = catalog.context;
  const bytes = await readFile(new URL('../../../examples/voice-note.mp3', import.meta.url));
  const { key } = await files.put(bytes, { maxBytes: bytes.length });
  await db.query(
    'update catalog_details set recording_key = $2 where number = (select number from catalog_records where record_id = $1)',
    [SPEECH_ID, key],
  );
}
