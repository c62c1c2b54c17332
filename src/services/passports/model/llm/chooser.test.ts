import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Field } from '../../extraction.ts';
import type { ReadPage } from '../../page.ts';
import { loadSchema } from '../../schema/load-schema.ts';
import { openChooser } from './chooser.ts';

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
const good = '{"fields":[{"key":"general:year_built","words":[2]},{"key":"general:address","words":[4,5]}]}';

type Asked = { path: string; body: { messages: { content: string }[]; response_format?: { type: string } } };

/** A server that answers each question as `answer` says, and what it was asked. */
async function server(answer: (n: number, asked: Asked, response: ServerResponse) => void) {
  const asked: Asked[] = [];
  const http = createServer((request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      asked.push({ path: request.url ?? '', body: text ? JSON.parse(text) : {} });
      answer(asked.length, asked.at(-1)!, response);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const baseUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`;
  return { asked, baseUrl };
}

const says = (response: ServerResponse, content: string) =>
  response.setHeader('content-type', 'application/json').end(
    JSON.stringify({
      id: '1',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content } }],
    }),
  );
const refuses = (response: ServerResponse, status: number) =>
  response
    .writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' })
    .end(JSON.stringify({ error: { message: 'no', code: 'no' } }));
const chooser = (baseUrl: string, timeoutMs = 20_000) =>
  openChooser({ provider: 'test', model: 'm', baseUrl, timeoutMs });
const never = new AbortController().signal;

describe('a language model', () => {
  it('gives fields their words, place and no confidence', async () => {
    const { baseUrl } = await server((_n, _asked, response) => says(response, good));
    const { fields, warnings } = await chooser(baseUrl).choose([page], schema, {}, never);
    expect(warnings).toEqual([]);
    expect(fields['general:year_built']).toMatchObject({ value: 1974, confidence: null, source: 'model', page: 1 });
    expect(fields['general:address']).toMatchObject({
      value: 'г. Бежецк',
      text: 'г. Бежецк',
      bbox: [0.4, 0.1, 0.58, 0.12],
    });
  });

  it('leaves what the rules are sure of and replaces what they are not', async () => {
    const { baseUrl } = await server((_n, _asked, response) => says(response, good));
    const rules = { 'general:year_built': field(1975, 0.95), 'general:address': field('постройки', 0.4) };
    const { fields } = await chooser(baseUrl).choose([page], schema, rules, never);
    expect(fields['general:year_built']!.value).toBe(1975);
    expect(fields['general:address']!.value).toBe('г. Бежецк');
  });

  it('is told what is wrong with its answer, and may repair it twice', async () => {
    const { baseUrl, asked } = await server((n, _asked, response) =>
      says(response, n === 1 ? 'I think it is 1974' : n === 2 ? good.replace('[2]', '[99]') : good),
    );
    const { fields, warnings } = await chooser(baseUrl).choose([page], schema, {}, never);
    expect(asked).toHaveLength(3);
    expect(asked[2]!.body.messages.at(-1)!.content).toContain('general:year_built');
    expect([fields['general:year_built']?.value, warnings]).toEqual([1974, []]);
  });

  it.each([
    '{"fields":[{"key":"x"}]}',
    '{"fields":[{"key":"general:year_built","words":["length"]}]}',
    '{"fields":[{"key":"general:year_built","words":[0.5]}]}',
    '{"fields":null}',
    '[',
  ])('that answers nonsense thrice (%s) costs nothing but a warning', async (nonsense) => {
    const { baseUrl, asked } = await server((_n, _asked, response) => says(response, nonsense));
    const rules = { 'general:year_built': field(1974, 0.5) };
    const { fields, warnings } = await chooser(baseUrl).choose([page], schema, rules, never);
    expect(asked).toHaveLength(3);
    expect(fields).toEqual(rules);
    expect(warnings.map(({ code }) => code)).toEqual(['LLM_INVALID']);
  });

  it('whose server knows no schema is asked for JSON, then for text, and so from then on', async () => {
    const { baseUrl, asked } = await server((_n, { body }, response) =>
      body.response_format ? refuses(response, 400) : says(response, `Here:\n\`\`\`json\n${good}\n\`\`\``),
    );
    const one = chooser(baseUrl);
    await one.choose([page], schema, {}, never);
    const { fields } = await one.choose([page], schema, {}, never);
    expect(asked.map(({ body }) => body.response_format?.type)).toEqual([
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
  ])('that answers %i is a warning %s after %i questions', async (status, code, questions) => {
    const { baseUrl, asked } = await server((_n, _asked, response) => refuses(response, status));
    const { warnings } = await chooser(baseUrl).choose([page], schema, {}, never);
    expect([warnings.map((one) => one.code), asked.length]).toEqual([[code], questions]);
  });

  it('that is not there, too slow, or sends its visitors elsewhere is a warning', async () => {
    const gone = await chooser('http://127.0.0.1:9/v1').choose([page], schema, {}, never);
    expect(gone.warnings[0]!.code).toBe('LLM_UNAVAILABLE');
    const slow = await server(() => {});
    const late = await chooser(slow.baseUrl, 300).choose([page], schema, {}, never);
    expect(late.warnings[0]!.code).toBe('LLM_TIMEOUT');
    const away = await server((_n, _asked, response) => response.writeHead(307, { location: slow.baseUrl }).end());
    const sent = await chooser(away.baseUrl).choose([page], schema, {}, never);
    expect([sent.warnings[0]!.code, slow.asked.length]).toEqual(['LLM_UNAVAILABLE', 1]);
  });

  it('is left alone when the task is cancelled', async () => {
    const { baseUrl } = await server(() => {});
    const cancel = new AbortController();
    const choosing = chooser(baseUrl).choose([page], schema, {}, cancel.signal);
    cancel.abort(new Error('cancelled'));
    await expect(choosing).rejects.toThrow('cancelled');
  });

  it('is probed without a word of any document', async () => {
    const { baseUrl, asked } = await server((_n, _asked, response) => says(response, ''));
    expect(await chooser(baseUrl).probe()).toBe(true);
    expect(asked.map(({ path }) => path)).toEqual(['/v1/models']);
    const locked = await server((_n, _asked, response) => refuses(response, 401));
    expect(await chooser(locked.baseUrl).probe()).toBe(false);
  });
});
