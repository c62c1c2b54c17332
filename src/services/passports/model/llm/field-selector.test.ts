import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Field } from '../../extraction.ts';
import { createModelClient } from '../../llm/client.ts';
import type { ReadPage } from '../../page-geometry.ts';
import { loadSchema } from '../../schema/load-schema.ts';
import { createFieldSelector } from './field-selector.ts';

const schema = loadSchema();
const page: ReadPage = {
  page: 1,
  width: 595,
  height: 842,
  turn: 0,
  reader: 'text',
  rules: [],
  words: ['Год', 'постройки', '1974', 'Адрес', 'г.', 'Бежецк'].map((text, i) => ({
    text,
    box: [0.1 * i, 0.1, 0.1 * i + 0.08, 0.12],
    confidence: null,
  })),
};
const field = (value: string | number, confidence: number): Field => ({
  value,
  confidence,
  source: 'text',
  page: 1,
  bbox: [0, 0, 1, 1],
  text: String(value),
});
const VALID_ANSWER = '{"fields":[{"key":"general:year_built","words":[2]},{"key":"general:address","words":[4,5]}]}';

type ModelRequest = { path: string; body: { messages: { content: string }[]; response_format?: { type: string } } };

/** Starts a model server that responds with `respond` and records its requests. */
async function server(respond: (n: number, request: ModelRequest, response: ServerResponse) => void) {
  const requests: ModelRequest[] = [];
  const http = createServer((request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      requests.push({ path: request.url ?? '', body: text ? JSON.parse(text) : {} });
      respond(requests.length, requests.at(-1)!, response);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const baseUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`;
  return { requests, baseUrl };
}

const sendAnswer = (response: ServerResponse, content: string) =>
  response.setHeader('content-type', 'application/json').end(
    JSON.stringify({
      id: '1',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content } }],
    }),
  );
const sendError = (response: ServerResponse, status: number) =>
  response
    .writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' })
    .end(JSON.stringify({ error: { message: 'no', code: 'no' } }));
const chooser = (baseUrl: string, timeoutMs = 20_000) => ({
  selectFields: createFieldSelector({ model: 'm', baseUrl, timeoutMs }),
});
const notAborted = new AbortController().signal;

describe('field selection by a language model', () => {
  it('returns fields with their words and box and without a confidence', async () => {
    const { baseUrl } = await server((_n, _request, response) => sendAnswer(response, VALID_ANSWER));
    const { fields, warnings } = await chooser(baseUrl).selectFields([page], schema, {}, notAborted);
    expect(warnings).toEqual([]);
    expect(fields['general:year_built']).toMatchObject({ value: 1974, confidence: null, source: 'model', page: 1 });
    expect(fields['general:address']).toMatchObject({
      value: 'г. Бежецк',
      text: 'г. Бежецк',
      bbox: [0.4, 0.1, 0.58, 0.12],
    });
  });

  it('keeps high-confidence extracted fields and replaces low-confidence ones', async () => {
    const { baseUrl } = await server((_n, _request, response) => sendAnswer(response, VALID_ANSWER));
    const rules = { 'general:year_built': field(1975, 0.95), 'general:address': field('постройки', 0.4) };
    const { fields } = await chooser(baseUrl).selectFields([page], schema, rules, notAborted);
    expect(fields['general:year_built']!.value).toBe(1975);
    expect(fields['general:address']!.value).toBe('г. Бежецк');
  });

  it('reports errors to the model and allows two repairs', async () => {
    const { baseUrl, requests } = await server((n, _request, response) =>
      sendAnswer(
        response,
        n === 1 ? 'I think it is 1974' : n === 2 ? VALID_ANSWER.replace('[2]', '[99]') : VALID_ANSWER,
      ),
    );
    const { fields, warnings } = await chooser(baseUrl).selectFields([page], schema, {}, notAborted);
    expect(requests).toHaveLength(3);
    expect(requests[2]!.body.messages.at(-1)!.content).toContain('general:year_built');
    expect([fields['general:year_built']?.value, warnings]).toEqual([1974, []]);
  });

  it.each([
    '{"fields":[{"key":"x"}]}',
    '{"fields":[{"key":"general:year_built","words":["length"]}]}',
    '{"fields":[{"key":"general:year_built","words":[0.5]}]}',
    '{"fields":null}',
    '[',
  ])('returns the extracted fields with a warning after three invalid answers (%s)', async (answer) => {
    const { baseUrl, requests } = await server((_n, _request, response) => sendAnswer(response, answer));
    const rules = { 'general:year_built': field(1974, 0.5) };
    const { fields, warnings } = await chooser(baseUrl).selectFields([page], schema, rules, notAborted);
    expect(requests).toHaveLength(3);
    expect(fields).toEqual(rules);
    expect(warnings.map(({ code }) => code)).toEqual(['LLM_INVALID']);
  });

  it('falls back from json_schema to json_object to text and remembers the supported format', async () => {
    const { baseUrl, requests } = await server((_n, { body }, response) =>
      body.response_format
        ? sendError(response, 400)
        : sendAnswer(response, `Here:\n\`\`\`json\n${VALID_ANSWER}\n\`\`\``),
    );
    const selector = chooser(baseUrl);
    await selector.selectFields([page], schema, {}, notAborted);
    const { fields } = await selector.selectFields([page], schema, {}, notAborted);
    expect(requests.map(({ body }) => body.response_format?.type)).toEqual([
      'json_schema',
      'json_object',
      undefined,
      undefined,
    ]);
    expect(fields['general:year_built']!.value).toBe(1974);
  });

  it.each([
    [401, 'LLM_UNAVAILABLE', 1],
    [429, 'LLM_QUOTA', 3],
    [500, 'LLM_UNAVAILABLE', 3],
  ])('turns HTTP status %i into the warning %s after %i requests', async (status, code, attempts) => {
    const { baseUrl, requests } = await server((_n, _request, response) => sendError(response, status));
    const { warnings } = await chooser(baseUrl).selectFields([page], schema, {}, notAborted);
    expect([warnings.map((one) => one.code), requests.length]).toEqual([[code], attempts]);
  });

  it('returns a warning when the server is unreachable, too slow or redirects', { tags: ['full'] }, async () => {
    const unreachable = await chooser('http://127.0.0.1:9/v1').selectFields([page], schema, {}, notAborted);
    expect(unreachable.warnings[0]!.code).toBe('LLM_UNAVAILABLE');
    const slow = await server(() => {});
    const timedOut = await chooser(slow.baseUrl, 300).selectFields([page], schema, {}, notAborted);
    expect(timedOut.warnings[0]!.code).toBe('LLM_TIMEOUT');
    const redirecting = await server((_n, _request, response) =>
      response.writeHead(307, { location: slow.baseUrl }).end(),
    );
    const redirected = await chooser(redirecting.baseUrl).selectFields([page], schema, {}, notAborted);
    expect([redirected.warnings[0]!.code, slow.requests.length]).toEqual(['LLM_UNAVAILABLE', 1]);
  });

  it("rejects with the signal's reason when the task is cancelled", async () => {
    const { baseUrl } = await server(() => {});
    const cancel = new AbortController();
    const choosing = chooser(baseUrl).selectFields([page], schema, {}, cancel.signal);
    cancel.abort(new Error('cancelled'));
    await expect(choosing).rejects.toThrow('cancelled');
  });

  it('probes the server without sending document data', async () => {
    const { baseUrl, requests } = await server((_n, _request, response) => sendAnswer(response, ''));
    await createModelClient({ model: 'm', baseUrl }).probe(notAborted);
    expect(requests.map(({ path }) => path)).toEqual(['/v1/models']);
    const locked = await server((_n, _request, response) => sendError(response, 401));
    await expect(createModelClient({ model: 'm', baseUrl: locked.baseUrl }).probe(notAborted)).rejects.toMatchObject({
      code: 'LLM_UNAVAILABLE',
    });
  });
});
