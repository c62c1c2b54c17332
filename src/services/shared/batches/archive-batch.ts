import type { FastifyRequest } from 'fastify';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { queueUnavailable, validationError } from '../../../base/api-error.ts';
import type { JsonObject } from '../../../base/json.ts';
import { readUpload } from '../../../http/upload.ts';
import type { Validator } from '../../../http/validation.ts';
import { groupingFrom, type TaskRequest } from '../accept-task.ts';
import { fileNameField, inputFileName } from '../file-names.ts';
import { groupingFields } from '../grouping.ts';
import { acceptBatch, findBatch, isKeyUsed } from './accept-batch.ts';
import { MAX_ARCHIVE_BYTES } from './archive-body.ts';
import {
  type Archives,
  checkArchive,
  EXAMPLE_KEY,
  hashFiles,
  receiveArchive,
  type StoredItem,
  storeUploads,
} from './archive-items.ts';
import type { BatchDeps } from './batch-deps.ts';
import type { BatchQuery } from './batch-schema.ts';
import { collectItems, MAX_INPUT_BYTES, tooMuchInput, toRequest } from './collect-items.ts';
import { createInvalidItems, type InvalidItems } from './invalid-items.ts';
import { isJson, JSON_LIST, memberText } from './read-items.ts';

/** The fields of a request that all files of an archive can have in common, as text. */
export const commonFields = (item: TObject, { urlField }: Archives) =>
  Object.fromEntries(
    Object.entries(item.properties as Record<string, TSchema & { description?: string }>)
      .filter(
        ([name]) =>
          ![urlField, 'webhook', 'webhook_url', ...Object.keys({ ...fileNameField, ...groupingFields })].includes(name),
      )
      .map(([name, { description = '' }]) => [
        name,
        Type.Optional(Type.String({ description: `For an archive, the field of all items. ${description}` })),
      ]),
  );

/** As the JSON body of a single request: a vocabulary is long. */
const MAX_FIELD_BYTES = 64 * 1024;

/** Receives a ZIP archive, stores its files as uploads of the client and creates an item for each of them. */
export async function acceptArchive(
  { service, deps, item, open }: BatchDeps,
  archives: Archives,
  request: FastifyRequest,
  {
    validate,
    limit,
    checkWebhook,
    invalid,
  }: { validate: Validator; limit: number; checkWebhook: (url: unknown) => void; invalid: InvalidItems },
) {
  const { urlField, filesHost, shared, type, context } = archives;
  const { principal } = request;
  const { bytes, fields } = await readUpload(request, {
    maxBytes: MAX_ARCHIVE_BYTES,
    maxFieldBytes: MAX_FIELD_BYTES,
  });
  const query = request.query as Static<typeof BatchQuery>;
  const {
    webhook_url: webhookUrl = query.webhook_url,
    project = query.project,
    tags: tagList = '',
    ...common
  } = { ...pick(query, item, archives), ...fields };
  const tags = readTags(tagList);
  const grouping = groupingFrom({
    project: project || undefined,
    tags: tags.length > 0 ? tags : [query.tag ?? []].flat(),
  });
  checkWebhook(webhookUrl);
  const options = optionsOf(common, item, archives);
  const textOf = (key: string) =>
    `{${[memberText(item, urlField, `https://${filesHost}/${key}`), ...options].join(',')}}`;
  const toTask = open(request);
  const example = await toRequest(textOf(EXAMPLE_KEY), validate, toTask);

  return receiveArchive(bytes, shared.dataDir, async (archive) => {
    const files = await checkArchive(archive, type, { maxFiles: limit, invalid });
    if (files.length * JSON.stringify(example.input).length > MAX_INPUT_BYTES) throw tooMuchInput();
    const batchOf = async (stored: readonly StoredItem[]) => {
      // Each has the fields of all, so they are not kept.
      function* texts() {
        for (const [at, { key }] of stored.entries()) yield { line: at + 1, text: textOf(key) };
      }
      // Each request is matched with its file by its position, so none may be left out.
      const requests = await collectItems(texts(), { validate, toTask, limit, invalid: createInvalidItems(false) });
      const items = requests.map((each, at) => named(each, stored[at]!, urlField));
      return { service, items, grouping, webhookUrl, name: query.name, names: stored.map(({ name }) => name) };
    };
    // The files of the first request count against the quota, so those of a repetition may have no room.
    if (await isKeyUsed(deps, request, service)) {
      const batch = await batchOf(await hashFiles(archive, files, invalid));
      const first = await findBatch(deps, request, batch);
      if (!first) throw queueUnavailable('The batch with this idempotency key has just expired; nothing was accepted.');
      return { ...first, total: batch.items.length };
    }
    return storeUploads(archive, files, { ...archives, principal, invalid }, async (stored) => {
      const batch = await batchOf(stored);
      const accepted = await acceptBatch(deps, request, batch);
      if (accepted.isReplayed) await context.uploads.expire(stored.map(({ key }) => key));
      return { ...accepted, total: batch.items.length };
    });
  });
}

/** Texts separated by commas, or a JSON array of texts. */
function readTags(text: string): readonly string[] {
  if (!JSON_LIST.test(text)) return text.split(',').filter((tag) => tag.trim() !== '');
  const tags = isJson(text) ? (JSON.parse(text) as unknown[]) : [undefined];
  if (tags.every((tag) => typeof tag === 'string')) return tags;
  throw validationError('tags: must be texts separated by commas, or a JSON array of texts.');
}

type Fields = Readonly<Record<string, string | undefined>>;

function pick(query: object, item: TObject, archives: Archives): Fields {
  const known = commonFields(item, archives);
  return Object.fromEntries(Object.entries(query).filter(([name]) => Object.hasOwn(known, name)));
}

/** The common fields as members of a JSON object. */
function optionsOf(texts: Fields, item: TObject, archives: Archives): string[] {
  const known = Object.keys(commonFields(item, archives));
  return Object.entries(texts).flatMap(([name, text]) => {
    if (!known.includes(name))
      throw validationError(`${name}: the fields must be ${[...known, 'project', 'tags', 'webhook_url'].join(', ')}.`);
    return text === undefined || text === '' ? [] : [memberText(item, name, text)];
  });
}

/** The same file has another URL when it is sent again: the idempotency key covers its content instead. */
const named = (request: TaskRequest, { name, sha256 }: StoredItem, urlField: string): TaskRequest => ({
  ...request,
  input: { ...request.input, ...inputFileName(name) },
  content: { ...(request.content as JsonObject), [urlField]: sha256, name },
});
