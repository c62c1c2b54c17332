import type { Queryable } from '../../base/db.ts';
import type { JsonObject } from '../../base/json.ts';
import { unixSeconds } from '../../base/time.ts';
import { TaskFailure } from '../../tasks/task.ts';
import { className } from '../shared/class-names.ts';
import { fileNameFromUrl } from '../shared/file-names.ts';
import { groupingOf } from '../shared/grouping.ts';
import { type EndedTask, isCancelled, type RecordDraft, type RecordMaker } from '../shared/records.ts';
import type { SharedSettings } from '../shared/service.ts';
import { type Correction, readLatest } from './corrections/store.ts';
import { FILE_ERRORS } from './failures.ts';
import { readPhoto } from './photo-bytes.ts';
import { PHOTOS } from './photo-type.ts';
import type { Attachment, PredictInput, Recorded } from './result.ts';
import type { DefectoscopySettings } from './settings.ts';
import { imagePolicy } from './url-policy.ts';

export function photoRecords(serviceSettings: DefectoscopySettings, shared: SharedSettings): RecordMaker {
  const source = { policy: imagePolicy(serviceSettings, shared), filesHost: shared.filesHost };
  return {
    pictureTasks: {
      type: PHOTOS,
      input: (url) => ({ image_url: url, search: true }),
      isRejection: ({ code }) => FILE_ERRORS.includes(code),
    },

    async drafts(db, tasks) {
      const ids = tasks.map(({ id }) => id);
      const corrections = await readLatest(db, ids);
      const features = await readFeatures(db, ids);
      const { signatureOf } = await import('./training/signatures.ts');
      const indexed = tasks.filter((task) => !isCancelled(task) && !isSearch(task));
      return Promise.all(
        indexed.map(async (task) => {
          const draft = draftOf(task, shared.filesHost, corrections.get(task.id));
          const training = features.get(task.id);
          const signature = training && (await signatureOf(training));
          return signature ? { ...draft, signature } : draft;
        }),
      );
    },

    async picture(sources, picture, signal) {
      try {
        return await readPhoto(picture as string, { ...sources, ...source }, signal);
      } catch (error) {
        if (error instanceof TaskFailure && !error.transient) return undefined;
        throw error;
      }
    },
  };
}

const isSearch = ({ inputText }: EndedTask) => (JSON.parse(inputText) as PredictInput).search === true;

async function readFeatures(db: Queryable, ids: readonly string[]) {
  const { rows } = await db.query<{ id: string; training: NonNullable<Attachment['training']> }>(FEATURES, [ids]);
  return new Map(rows.map(({ id, training }) => [id, training]));
}

const FEATURES = {
  name: 'defectoscopy-features',
  text: `
    select id, attachment->'training' as training
      from tasks_read_only
     where id = any($1::text[]) and attachment->'training' is not null`,
};

function draftOf(task: EndedTask, filesHost: string | undefined, correction: Correction | undefined): RecordDraft {
  const { image_url, file_name } = JSON.parse(task.inputText) as PredictInput;
  const fileName = file_name ?? fileNameFromUrl(image_url, filesHost);
  const common = { taskId: task.id, createdAt: task.queuedAt, picture: image_url, ...groupingOf(task.inputText) };
  if (task.status === 'failed') {
    const { code, message } = task.failure;
    const result = { error: message, error_code: code };
    return { ...common, status: 'failed', title: fileName ?? 'photo', text: message, result };
  }
  const recorded = applied(JSON.parse(task.resultText) as Recorded, correction);
  const { surface, masters, defects } = recorded;
  const [master] = masters;
  return {
    ...common,
    status: 'done',
    title: fileName ?? titleOf(recorded),
    text: namesOf(recorded),
    surface,
    ...(master && { master }),
    defects,
    result: recorded as unknown as JsonObject,
    withAttachment: true,
  };
}

/** A reviewer is sure: the confidence of what the correction states is 1. */
function applied(recorded: Recorded, correction: Correction | undefined): Recorded & { correction?: JsonObject } {
  if (correction === undefined) return recorded;
  const { surface, master, defects, confirmed, at } = correction;
  const sure = (name: string) => ({ name, conf: 1 });
  return {
    ...recorded,
    ...{ surface, masters: [sure(master)], defects: defects.map(sure) },
    correction: { confirmed, corrected_at: unixSeconds(at) },
  };
}

/** For a photo without a file name. */
function titleOf({ surface, masters, defects }: Recorded): string {
  const worst = defects[0] ?? masters[0];
  return [surface, worst?.name].flatMap((name) => (name === undefined ? [] : className(name, 'en'))).join(': ');
}

/** For searching in both languages. */
function namesOf({ surface, masters, defects }: Recorded): string {
  const names = [surface, ...masters.slice(0, 1).map(({ name }) => name), ...defects.map(({ name }) => name)];
  const languages = ['en', 'ru'] as const;
  return languages.map((language) => names.map((name) => className(name, language)).join(', ')).join('\n');
}
