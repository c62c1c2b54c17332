import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { listenCommand } from './listen.ts';

type Reply = readonly [status: number, code?: string];

const events = ['a', 'b'].map((task) => ({
  ...{ id: `event-${task}`, type: 'defectoscopy.result.terminal', task_id: task, status: 'done' },
}));

/** A server with two events and their results, and a receiver. Each read of a result gets the next of `replies`, then 200. */
async function startServer(replies: readonly Reply[]) {
  const forwarded: string[] = [];
  const left = [...replies];
  const send = (response: ServerResponse, status: number, body: object) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url!, 'http://server');
    if (url.pathname === '/hook') {
      const body = (await new Response(Readable.toWeb(request) as ReadableStream).json()) as {
        data: { task_id: string };
      };
      forwarded.push(body.data.task_id);
      return void response.writeHead(204).end();
    }
    if (url.pathname === '/events') {
      const after = url.searchParams.get('after');
      if (after === 'event-b') return undefined;
      const page = after === 'latest' ? { events: [], next: 'event-0' } : { events, next: 'event-b' };
      return send(response, 200, { ok: true, data: { ...page, more: false } });
    }
    const [status, code] = left.shift() ?? [200];
    const task_id = url.pathname.slice('/result/'.length);
    if (status === 200) return send(response, 200, { ok: true, data: { task_id, status: 'done' } });
    return send(response, status, { ok: false, error: { code, message: 'Not now.' } });
  };
  const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, forwarded };
}

describe('assay listen', () => {
  let stop: AbortController;
  let printed: string[];
  beforeEach(() => {
    stop = new AbortController();
    printed = [];
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    vi.spyOn(console, 'error').mockImplementation((line: string) => void printed.push(line));
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const listen = (url: string, after?: string) =>
    listenCommand(
      {
        service: 'defectoscopy',
        forward: `${url}/hook`,
        server: url,
        token: 't',
        secret: 's',
        ...(after && { after }),
      },
      stop.signal,
    );

  it('reads a result again after overload and an outage, and forwards each once', async () => {
    const { url, forwarded } = await startServer([[200], [429, 'RATE_LIMIT_EXCEEDED'], [503, 'QUEUE_UNAVAILABLE']]);
    const listening = listen(url);
    const ended = listening.catch((error: unknown) => error);
    // The line of an event follows the response of the receiver.
    await Promise.race([
      ended,
      vi.waitFor(() => expect(process.stdout.write).toHaveBeenCalledTimes(2), { timeout: 10_000 }),
    ]);
    stop.abort();
    await listening;
    expect(forwarded).toEqual(['a', 'b']);
    expect(printed.slice(1)).toEqual([
      'Limit of requests or waiting tasks reached, continuing in 1 s.',
      'The result of b cannot be read, retrying: Not now.',
    ]);
  });

  it.each([
    [[[401, 'UNAUTHORIZED']], undefined, 'event-0'],
    [[[401, 'UNAUTHORIZED']], 'event-1', 'event-1'],
    [[[200], [401, 'UNAUTHORIZED']], undefined, 'event-a'],
  ] as const)('prints the id to continue with when it ends with another error: %j', async (replies, after, id) => {
    const { url } = await startServer(replies);
    await expect(listen(url, after)).rejects.toThrow('rejected the credential');
    expect(printed.at(-1)).toBe(`To continue with the results that were not forwarded: --after ${id}`);
  });

  it.each(['whsec_', 'whsec_!!!'])('refuses the secret %s, whose key would be empty', (secret) => {
    const options = { service: 'defectoscopy', forward: 'http://127.0.0.1:1/hook', secret } as const;
    expect(() => listenCommand(options, stop.signal)).toThrow(
      '--secret: A secret that begins with `whsec_` must continue with base64.',
    );
  });

  it('prints the id to continue with when it is interrupted while a result cannot be read', async () => {
    const { url } = await startServer([[200], ...Array.from({ length: 9 }, () => [502, 'X'] as const)]);
    const listening = listen(url);
    await vi.waitFor(() => expect(printed).toHaveLength(2), { timeout: 10_000 });
    stop.abort();
    await listening;
    expect(printed.at(-1)).toMatch(/--after event-a$/);
  });
});
