import type { IncomingMessage } from 'node:http';
import formbody from '@fastify/formbody';
import type { FastifyInstance } from 'fastify';
import { InvalidInput } from './validation-details.ts';

/** Form fields in order; the last value of a repeated name counts. */
export type Form = ReadonlyMap<string, string>;

const FORM_LIMITS = { keys: 500, valueLength: 10_000 };
/** Bounds repeated names too; a longer text is not parsed. */
const MAX_PAIRS = 4 * FORM_LIMITS.keys;

/** Makes the routes of a dedicated scope accept only `application/x-www-form-urlencoded` bodies, parsed as {@link Form}. */
export async function acceptForms(scope: FastifyInstance): Promise<void> {
  scope.removeAllContentTypeParsers();
  await scope.register(formbody, { parser: parseForm as unknown as (text: string) => Record<string, unknown> });
}

/**
 * Line breaks, which browsers send as CRLF, become LF as in stored values. Throws {@link InvalidInput} for more than 500
 * names or a value of more than 10 000 characters.
 */
export function parseForm(text: string): Form {
  const isParsed = text.split('&', MAX_PAIRS + 1).length <= MAX_PAIRS;
  const form = new Map(isParsed ? new URLSearchParams(text.replace(/%0D%0A/gi, '%0A')) : []);
  if (!isParsed || form.size > FORM_LIMITS.keys) {
    const [ctx, msg] = [{ max_length: FORM_LIMITS.keys }, `A form has at most ${FORM_LIMITS.keys} fields`];
    throw new InvalidInput([{ loc: ['body'], msg, type: 'too_long', ctx }]);
  }
  const tooLong = [...form].filter(([, value]) => value.length > FORM_LIMITS.valueLength);
  if (tooLong.length > 0) {
    const [ctx, msg] = [{ max_length: FORM_LIMITS.valueLength }, `At most ${FORM_LIMITS.valueLength} characters`];
    throw new InvalidInput(tooLong.map(([name]) => ({ loc: ['body', name], msg, type: 'string_too_long', ctx })));
  }
  return form;
}

/** Chosen below the time that the gateway reads and discards a rejected body. */
const UNREAD_FORM_MS = 1000;

/**
 * The form in the unread body of a request that was rejected by its headers; undefined if there is none, or if it is
 * invalid, too long or too slow. Attaches its listener at once, because the gateway discards the body from the next tick.
 */
export function readUnreadForm(raw: IncomingMessage, maxBytes: number): Promise<Form | undefined> {
  const isForm = raw.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  if (!isForm || Number(raw.headers['content-length'] ?? 0) > maxBytes || raw.readableEnded || raw.destroyed) {
    return Promise.resolve(undefined);
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (form: Form | undefined) => {
      clearTimeout(timer);
      raw.off('data', onData).off('end', onEnd).off('close', onFailure);
      resolve(form);
    };
    const onFailure = () => end(undefined);
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) onFailure();
    };
    const onEnd = () => end(tryParse(Buffer.concat(chunks).toString()));
    const timer = setTimeout(onFailure, UNREAD_FORM_MS);
    raw.on('data', onData).once('end', onEnd).once('close', onFailure);
  });
}

function tryParse(text: string): Form | undefined {
  try {
    return parseForm(text);
  } catch (error) {
    if (error instanceof InvalidInput) return undefined;
    throw error;
  }
}
