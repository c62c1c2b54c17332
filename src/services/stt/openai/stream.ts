import type { FastifyReply } from 'fastify';
import { ApiError, internalError, queueUnavailable, taskNotFound } from '../../../base/api-error.ts';
import { isUnavailable } from '../../../base/db-errors.ts';
import { openEventStream } from '../../../http/event-stream.ts';
import type { TaskStore } from '../../../tasks/store.ts';
import type { Task } from '../../../tasks/task.ts';
import { waitForEnd } from '../../../tasks/wait.ts';
import { wordSeparator } from '../languages.ts';
import type { Recorded } from '../result.ts';
import { readTexts } from '../transcript/texts.ts';
import { gatewayStopping, openAiErrors, taskFailed } from './errors.ts';

/** A task ends at its deadline; a timer holds at most 24.8 days. */
const MAX_WAIT_MS = 24 * 86_400_000;
/** The text of a finished task is sent at once, twice; four hours of fast speech have less than 1 MB. */
const MAX_UNREAD_BYTES = 16 * 2 ** 20;

/**
 * Sends the text as server-sent events while the task runs, from its checkpoints. An error is an event too. The task
 * continues if the client disconnects.
 */
export async function streamTranscript(
  tasks: TaskStore,
  reply: FastifyReply,
  {
    queue,
    id,
    closing,
    checkCredential,
  }: {
    queue: string;
    id: string;
    closing: AbortSignal;
    /** Called every second until the task ends; throws to end the stream. */
    checkCredential: () => Promise<void>;
  },
): Promise<void> {
  const stream = openEventStream(reply, { maxUnreadBytes: MAX_UNREAD_BYTES });
  let sent = '';
  let storedBytes: number | undefined;
  const send = (type: string, data: object) => stream.send({ event: type, data: { type, ...data } });
  const sendDeltas = (segments: readonly { text: string }[], separator: string) => {
    for (const delta of deltasAfter(sent, segments, separator)) {
      send('transcript.text.delta', { delta });
      sent += delta;
    }
  };
  const onUnfinished = async ({ status }: Task) => {
    await checkCredential();
    if (status !== 'processing') return;
    const stored = await tasks.readCheckpoint(id, storedBytes);
    storedBytes = stored?.storedBytes;
    if (stored?.checkpoint === undefined) return;
    const { segments, separator } = readTexts((stored.checkpoint as unknown as Pick<Recorded, 'segments'>).segments);
    sendDeltas(segments, separator);
  };

  try {
    const signals = [closing, stream.closed];
    const task = await waitForEnd(tasks, queue, id, { ms: MAX_WAIT_MS, signals, onUnfinished });
    if (stream.closed.aborted) return;
    if (task?.status !== 'done') throw task === undefined ? taskNotFound() : endOf(task);
    const result = JSON.parse(task.resultText) as Recorded;
    sendDeltas(result.segments, wordSeparator(result.language));
    send('transcript.text.done', { text: result.transcription });
  } catch (error) {
    if (!(error instanceof ApiError)) reply.request.log.error({ err: error }, 'a stream of a transcript failed');
    const fault = error instanceof ApiError ? error : isUnavailable(error) ? queueUnavailable() : internalError();
    stream.send({ event: 'error', data: openAiErrors.body(fault, reply.request.id) });
  } finally {
    stream.end();
  }
}

const endOf = (task: Task) => (task.status === 'failed' ? taskFailed(task.failure) : gatewayStopping(task.id));

/**
 * The text of the segments after `sent`, by segment. Nothing if the text does not begin with `sent`, because another
 * provider transcribes from the beginning: the last event has the whole text.
 */
export function deltasAfter(sent: string, segments: readonly { text: string }[], separator: string): string[] {
  const deltas: string[] = [];
  let length = 0;
  for (const { text } of segments) {
    const piece = length === 0 ? text : separator + text;
    const known = piece.slice(0, Math.max(0, sent.length - length));
    if (!sent.startsWith(known, length)) return [];
    if (known.length < piece.length) deltas.push(piece.slice(known.length));
    length += piece.length;
  }
  return length < sent.length ? [] : deltas;
}
