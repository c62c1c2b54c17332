import type { JsonObject, JsonValue } from '../../base/json.ts';
import { fileKeyFromUrl, fileNameFromUrl } from '../shared/file-names.ts';
import { groupingOf } from '../shared/grouping.ts';
import { type EndedTask, isCancelled, type RecordDraft, type RecordMaker } from '../shared/records.ts';
import type { SharedSettings } from '../shared/service.ts';
import { withSegments } from './corrections/corrected.ts';
import { type Correction, readCorrections } from './corrections/store.ts';
import type { Recorded, RecordedSegment, TranscribeInput } from './result.ts';

/** Searchable by the corrected transcription and the metadata. */
export const recordingRecords = ({ filesHost }: SharedSettings): RecordMaker => ({
  async drafts(db, tasks) {
    const corrections = await readCorrections(
      db,
      tasks.filter(({ status }) => status === 'done').map(({ id }) => id),
    );
    return tasks
      .filter((task) => !isCancelled(task))
      .map((task) => draftOf(task, { filesHost, correction: corrections.get(task.id) }));
  },
});

const TITLE_LENGTH = 80;

function draftOf(
  task: EndedTask,
  { filesHost, correction }: { filesHost: string | undefined; correction: Correction | undefined },
): RecordDraft {
  const { url, file_name, metadata } = JSON.parse(task.inputText) as TranscribeInput;
  const metadataTexts = metadata === undefined ? [] : textsIn(JSON.parse(metadata) as JsonValue);
  const fileName = file_name ?? fileNameFromUrl(url, filesHost) ?? 'recording';
  const fileKey = fileKeyFromUrl(url, filesHost);
  const common = {
    ...{ taskId: task.id, createdAt: task.queuedAt, ...groupingOf(task.inputText) },
    ...(fileKey !== undefined && { sound: { fileKey } }),
  };
  if (task.status === 'failed') {
    const { code, message } = task.failure;
    const result = { error: message, error_code: code };
    return { ...common, status: 'failed', title: fileName, text: [message, ...metadataTexts].join('\n'), result };
  }
  // Word times are large and only needed by players.
  const { words: _, ...original } = JSON.parse(task.resultText) as Recorded;
  const result = correction ? withSegments(original, correction.segments.map(withoutConfirmed)) : original;
  return {
    ...common,
    status: 'done',
    title: firstWords(result.transcription) || fileName,
    text: [result.transcription, ...(file_name === undefined ? [] : [file_name]), ...metadataTexts].join('\n'),
    result: result as unknown as JsonObject,
  };
}

/** Confirmations refer to the words. */
const withoutConfirmed = ({ confirmed: _, ...segment }: RecordedSegment): RecordedSegment => segment;

export function firstWords(text: string): string {
  const line = text
    .slice(0, 4 * TITLE_LENGTH)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= TITLE_LENGTH) return line;
  const cut = line.slice(0, TITLE_LENGTH - 1);
  const end = cut.lastIndexOf(' ');
  // A single long word is cut, but not within a surrogate pair.
  return `${(end > 0 ? cut.slice(0, end) : cut.replace(/[\uD800-\uDBFF]$/, '')).trimEnd()}…`;
}

function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((each) => textsIn(each as JsonValue));
}
