import type { Static } from 'typebox';
import { ApiError, queueUnavailable, validationError } from '../../../base/api-error.ts';
import { unixSeconds } from '../../../base/time.ts';
import { describeResponse, errorResponses, success } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { VocabularyBody, VocabularyState } from '../api-schema.ts';
import { parseTerms } from '../parse-terms.ts';
import { NO_VERSION, type StoredVocabulary, type VocabularyStore } from '../vocabulary.ts';

/** 1000 Cyrillic terms of 100 characters have 200 KiB, with escapes or spoken forms several times that. */
const BODY_BYTES = 1024 * 1024;

/** `GET` and `PUT /vocabulary`: the terms that all recordings of the credential prefer. */
export function vocabularyRoutes(app: Gateway, { vocabularies }: { vocabularies: VocabularyStore }): void {
  const config = { access: 'task', limited: true } as const;
  const example = success({
    terms: [{ term: 'shotcrete' }, { term: 'nginx', spoken: ['engine x'] }],
    version: '9f86d081884c7d65',
    changed_at: '1767225600',
  });
  const replies = (description: string) => ({
    200: describeResponse(description, VocabularyState, { vocabulary: example }, ETAG),
  });

  app.get(
    '/vocabulary',
    {
      config,
      schema: {
        summary: 'Read the vocabulary of the token',
        operationId: 'readVocabulary',
        tags: ['tasks'],
        response: { ...replies('The terms; an empty list if none are stored.'), ...errorResponses(queueUnavailable()) },
      },
    },
    async (request, reply) => {
      const body = present(await vocabularies.read(request.principal));
      reply.header('etag', `"${body.data.version}"`);
      return body;
    },
  );

  app.put<{ Body: Static<typeof VocabularyBody> }>(
    '/vocabulary',
    {
      config,
      bodyLimit: BODY_BYTES,
      schema: {
        summary: 'Replace the vocabulary of the token',
        description: 'Recordings that are accepted afterwards prefer these terms. An empty list deletes them.',
        operationId: 'replaceVocabulary',
        tags: ['tasks'],
        body: VocabularyBody,
        shown: { headers: { 'If-Match': 'The version that the terms replace; without it, any version.' } },
        response: {
          ...replies('The stored terms, without repetitions.'),
          ...errorResponses(
            vocabularyChanged(),
            validationError('terms.3: a term needs a letter or a figure.'),
            queueUnavailable(),
          ),
        },
      },
    },
    async (request, reply) => {
      const terms = parseTerms('terms', request.body.terms);
      const stored = await vocabularies.write(request.principal, terms, versionIn(request.headers['if-match']));
      if (stored === undefined) throw vocabularyChanged();
      reply.header('etag', `"${stored.version}"`);
      return present(stored);
    },
  );
}

const ETAG = { ETag: 'The version of the terms, for `If-Match`.' };

const vocabularyChanged = () =>
  new ApiError('VERSION_CONFLICT', 412, 'The vocabulary has been changed since it was read.');

/** Undefined for any version. */
const versionIn = (ifMatch = '*') =>
  ifMatch.trim() === '*' ? undefined : ifMatch.replace('W/', '').replaceAll('"', '').trim();

const present = (stored: StoredVocabulary | undefined) =>
  success({
    terms: stored?.terms ?? [],
    version: stored?.version ?? NO_VERSION,
    ...(stored && { changed_at: unixSeconds(stored.changedAt) }),
  });
