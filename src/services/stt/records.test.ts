import { describe, expect, it } from 'vitest';
import type { Queryable } from '../../base/db.ts';
import { FAILURES, type Failure } from '../../tasks/task.ts';
import type { EndedTask } from '../shared/records.ts';
import type { SharedSettings } from '../shared/service.ts';
import { recordingRecords } from './records.ts';

const maker = recordingRecords({ filesHost: 'files.assay.internal' } as SharedSettings);

const TRANSCRIPTION = `Добрый день, это осмотр подъезда номер четыре, дом двенадцать по улице Южной, запись сделана утром.`;
const RESULT = {
  transcription: TRANSCRIPTION,
  service: 'local',
  language: 'ru',
  duration_seconds: 9.5,
  segments: [{ start: 0, end: 9.5, text: TRANSCRIPTION }],
  words: [{ start: 0, end: 0.4, text: 'Добрый' }],
};
const INPUT = {
  url: 'https://calls.example.com/2026/call-17.mp3',
  metadata: '{"operator":"Иванова","tags":["жалоба",7],"nested":{"city":"Энск"}}',
};
const task = ({ input = INPUT, result = RESULT, ...over }: { input?: object; result?: object }): EndedTask =>
  ({
    ...{ id: 't1', service: 'stt', principal: 'p', status: 'done', processingMs: 7, estimateSeconds: 1 },
    inputText: JSON.stringify(input),
    resultText: JSON.stringify(result),
    queuedAt: new Date(1000),
    finishedAt: new Date(2000),
    ...over,
  }) as EndedTask;
const uncorrected: Queryable = { query: async () => ({ rows: [], rowCount: 0 }) };
const draft = async (over: object = {}) => (await maker.drafts(uncorrected, [task(over)]))[0];

describe('recordingRecords', () => {
  it('uses the first words as title and the transcription and metadata as text', async () => {
    const record = (await draft())!;
    expect(record).toMatchObject({ taskId: 't1', status: 'done', createdAt: new Date(1000) });
    expect(record.title).toBe('Добрый день, это осмотр подъезда номер четыре, дом двенадцать по улице Южной,…');
    expect(record.title.length).toBeLessThanOrEqual(80);
    expect(record.text).toBe(`${TRANSCRIPTION}\nИванова\nжалоба\nЭнск`);
    const { words: _, ...withoutWords } = RESULT;
    expect(record.result).toEqual(withoutWords);
    expect(record).not.toHaveProperty('picture');
    // Only stored files are playable.
    expect(record).not.toHaveProperty('sound');
  });

  it('references the audio file if it is stored here', async () => {
    const input = { url: 'https://files.assay.internal/01KAF3M9WZ7Y5T2Q8C4N6B1D0E' };
    expect(await draft({ input })).toMatchObject({ sound: { fileKey: '01KAF3M9WZ7Y5T2Q8C4N6B1D0E' } });
  });

  it('uses the file name as title without speech, and truncates a single long word', async () => {
    const silent = { ...RESULT, transcription: '' };
    expect((await draft({ result: silent }))!.title).toBe('call-17.mp3');
    const title = (await draft({ result: { ...RESULT, transcription: '𐍈'.repeat(300) } }))!.title;
    expect(title).toBe(`${'𐍈'.repeat(39)}…`);
  });

  it('stores the corrected segments without confirmed words', async () => {
    const segment = { start: 0, end: 9.5, text: 'Доброе утро.' };
    const rows = [{ taskId: 't1', version: 1, segments: [{ ...segment, confirmed: [0] }] }];
    const db = { query: async () => ({ rows, rowCount: 1 }) } as never;
    const [record] = await maker.drafts(db, [task({})]);
    expect(record!.result).toMatchObject({ transcription: segment.text });
    expect((record!.result as { segments: unknown })['segments']).toEqual([segment]);
  });

  it('stores the error of a failed task and skips cancelled tasks', async () => {
    const failure: Failure = { code: 'AUDIO_CORRUPT', message: 'The recording is damaged.' };
    expect(await draft({ status: 'failed', failure })).toMatchObject({
      status: 'failed',
      title: 'call-17.mp3',
      text: 'The recording is damaged.\nИванова\nжалоба\nЭнск',
      result: { error: failure.message, error_code: failure.code },
    });
    expect(await draft({ status: 'failed', failure: FAILURES.CANCELLED })).toBeUndefined();
  });
});
