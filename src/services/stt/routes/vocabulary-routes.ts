import type { Static } from 'typebox';
import { queueUnavailable, validationError } from '../../../base/api-error.ts';
import { unixSeconds } from '../../../base/time.ts';
import { describeResponse, errorResponses, success } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { VocabularyBody, VocabularyState } from '../api-schema.ts';
import { parseTerms } from '../parse-terms.ts';
import type { StoredVocabulary, VocabularyStore } from '../vocabulary.ts';

/** 1000 Cyrillic terms of 100 characters have 200 KiB, with escapes or spoken forms several times that. */
const BODY_BYTES = 1024 * 1024;

/** `GET` and `PUT /vocabulary`: the terms that all recordings of the credential prefer. */
export function vocabularyRoutes(app: Gateway, { vocabularies }: { vocabularies: VocabularyStore }): void {
  const config = { access: 'task', limited: true } as const;
  const example = success({
    terms: [{ term: 'shotcrete' }, { term: 'nginx', spoken: ['engine x'] }],
    changed_at: '1767225600',
  });
  const replies = (description: string) => ({
    200: describeResponse(description, VocabularyState, { vocabulary: example }),
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
    async (request) => present(await vocabularies.read(request.principal)),
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
        response: {
          ...replies('The stored terms, without repetitions.'),
          ...errorResponses(validationError('terms.3: a term needs a letter or a figure.'), queueUnavailable()),
        },
      },
    },
    async (request) => present(await vocabularies.write(request.principal, parseTerms('terms', request.body.terms))),
  );
}

const present = (stored: StoredVocabulary | undefined) =>
  success({ terms: stored?.terms ?? [], ...(stored && { changed_at: unixSeconds(stored.changedAt) }) });
