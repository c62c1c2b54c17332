import type { JsonObject, JsonValue } from '../../base/json.ts';
import { fileKeyOf, fileNameOf } from '../file-names.ts';
import { type EndedTask, isCancelled, type RecordDraft, type RecordMaker } from '../records.ts';
import type { SharedSettings } from '../service.ts';
import type { Recorded, TranscribeInput } from './result.ts';

/** What is to be found of recordings: what was said, and what the client has noted beside it. */
export const recordingRecords = ({ filesHost }: SharedSettings): RecordMaker => ({
  drafts: async (_db, tasks) => tasks.filter((task) => !isCancelled(task)).map((task) => draftOf(task, filesHost)),
});

/** A title is a line. */
const TITLE_LENGTH = 80;

function draftOf(task: EndedTask, filesHost: string | undefined): RecordDraft {
  const { url, metadata } = JSON.parse(task.inputText) as TranscribeInput;
  const noted = metadata === undefined ? [] : textsIn(JSON.parse(metadata) as JsonValue);
  const fileName = fileNameOf(url, filesHost) ?? 'recording';
  const fileKey = fileKeyOf(url, filesHost);
  const common = { taskId: task.id, createdAt: task.queuedAt, ...(fileKey !== undefined && { sound: { fileKey } }) };
  if (task.status === 'failed') {
    const { code, sentence } = task.failure;
    const result = { error: sentence, error_code: code };
    return { ...common, status: 'failed', title: fileName, text: [sentence, ...noted].join('\n'), result };
  }
  // When each word was said is for players, and more than all the rest.
  const { words: _, ...result } = JSON.parse(task.resultText) as Recorded;
  return {
    ...common,
    status: 'done',
    title: firstWords(result.transcription) || fileName,
    text: [result.transcription, ...noted].join('\n'),
    result: result as unknown as JsonObject,
  };
}

function firstWords(text: string): string {
  const line = text
    .slice(0, 4 * TITLE_LENGTH)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= TITLE_LENGTH) return line;
  const cut = line.slice(0, TITLE_LENGTH - 1);
  const end = cut.lastIndexOf(' ');
  // A word without end is cut where it must be, but not within a character of two units.
  return `${(end > 0 ? cut.slice(0, end) : cut.replace(/[\uD800-\uDBFF]$/, '')).trimEnd()}…`;
}

/** Every text in it, at any depth. */
function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((each) => textsIn(each as JsonValue));
}
