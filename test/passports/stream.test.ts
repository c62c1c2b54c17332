import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEventStream } from '../support/event-stream.ts';
import { type Client, createPdf, type Passports, startPassports } from '../support/passports.ts';

let passports: Passports;
beforeAll(async () => {
  passports = await startPassports();
});
afterAll(() => passports.stop());

interface Message {
  readonly event: string;
  readonly id?: number;
  readonly data: any;
}

async function watch(client: Client, lastEventId?: number) {
  const stop = new AbortController();
  const response = await fetch(`${passports.url}/api/tasks/stream`, {
    signal: stop.signal,
    headers: {
      accept: 'text/event-stream',
      cookie: `bti_session_id=${client.cookies.get('bti_session_id')}`,
      ...(lastEventId !== undefined && { 'last-event-id': String(lastEventId) }),
    },
  });
  const { next: nextMessage, text } = readEventStream(response);
  async function next(): Promise<Message | undefined> {
    const message = await nextMessage();
    return message && ({ ...message, ...(message.id && { id: Number(message.id) }) } as Message | undefined);
  }
  async function until(id: string, status: string): Promise<Message[]> {
    const seen: Message[] = [];
    for (let message = await next(); message !== undefined; message = await next()) {
      seen.push(message);
      if (message.data.id === id && message.data.status === status) return seen;
    }
    throw new Error(`the stream ended before ${id} was ${status}`);
  }
  return { response, next, until, text, close: () => stop.abort() };
}

async function createVisitor(): Promise<{ client: Client; id: string }> {
  const client = passports.client();
  const [id] = await client.upload(createPdf('first.pdf'));
  return { client, id: id! };
}

describe('GET /api/tasks/stream', () => {
  it('starts with a snapshot and sends each change with consecutive event ids', async () => {
    const { client, id } = await createVisitor();
    const stream = await watch(client);
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    const snapshot = (await stream.next())!;
    expect(snapshot).toMatchObject({
      event: 'snapshot',
      id: expect.any(Number),
      data: { total: 1, items: [{ id, status: 'PENDING' }] },
    });
    const [second] = await client.upload(createPdf('second.pdf'));
    await stream.until(second!, 'PENDING');
    await passports.succeed(id);
    const events = await stream.until(id, 'SUCCESS');
    expect(events.at(-1)!.data).toEqual({
      id,
      status: 'SUCCESS',
      previous_status: 'PROCESSING',
      filename: 'first.pdf',
      cached: false,
      created_at: expect.any(String),
      error_type: null,
      updated_at: expect.any(String),
    });
    await passports.fail(second!, 'PDF_ENCRYPTED');
    const failed = await stream.until(second!, 'PERMANENT_ERROR');
    expect(failed.at(-1)!.data.error_type).toBe('PDF_ENCRYPTED');
    client.token = (await passports.signIn()).token;
    await client.request(`/task/${id}`, { method: 'DELETE' });
    let deletion = await stream.next();
    while (deletion?.event !== 'deleted') deletion = await stream.next();
    expect(deletion.data).toEqual({ id });
    stream.close();
  });

  it('replays missed events after Last-Event-ID, and starts with a new snapshot for an unknown id', async () => {
    const { client, id } = await createVisitor();
    const first = await watch(client);
    const { id: seen } = (await first.next())!;
    first.close();
    await passports.succeed(id);
    const again = await watch(client, seen);
    const missed = await again.until(id, 'SUCCESS');
    expect(missed.map(({ event, id: number, data }) => [event, number, data.status])).toEqual([
      ['task', seen! + 1, 'PROCESSING'],
      ['task', seen! + 2, 'SUCCESS'],
    ]);
    again.close();
    for (const number of [seen! + 1000, 10 ** 12]) {
      const lost = await watch(client, number);
      expect([(await lost.next())!.event, (await lost.next())!.event]).toEqual(['resync', 'snapshot']);
      lost.close();
    }
  });

  it('sends no events of other sessions', async () => {
    const [mine, theirs] = [await createVisitor(), await createVisitor()];
    const stream = await watch(mine.client);
    expect((await stream.next())!.data.items.map((item: { id: string }) => item.id)).toEqual([mine.id]);
    await passports.succeed(theirs.id);
    await passports.succeed(mine.id);
    const events = await stream.until(mine.id, 'SUCCESS');
    expect(new Set(events.map(({ data }) => data.id))).toEqual(new Set([mine.id]));
    stream.close();
  });

  it('allows five streams per session', async () => {
    const { client } = await createVisitor();
    const streams = await Promise.all(Array.from({ length: 5 }, () => watch(client)));
    expect(streams.map(({ response }) => response.status)).toEqual([200, 200, 200, 200, 200]);
    const sixth = await watch(client);
    expect(sixth.response.status).toBe(429);
    expect(Number(sixth.response.headers.get('retry-after'))).toBeGreaterThan(0);
    for (const stream of streams.slice(1)) stream.close();
    let seventh = await watch(client);
    for (let i = 0; seventh.response.status === 429 && i < 100; i++) seventh = await watch(client);
    expect(seventh.response.status).toBe(200);
    seventh.close();
    streams[0]!.close();
  });

  it('returns the snapshot as JSON on request, and only headers for HEAD', async () => {
    const { client, id } = await createVisitor();
    const answer = await client.get('/api/tasks/stream', { accept: 'application/json' });
    expect(answer.body).toEqual({ items: [expect.objectContaining({ id })], total: 1 });
    const head = await client.request('/api/tasks/stream', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it('sends an end event when the service stops', async () => {
    const other = await startPassports();
    const client = other.client();
    await client.upload(createPdf());
    const response = await fetch(`${other.url}/api/tasks/stream`, {
      headers: { cookie: `bti_session_id=${client.cookies.get('bti_session_id')}` },
    });
    const text = response.text();
    await other.stop();
    expect(await text).toMatch(/^retry: 3000\n\n[\s\S]*event: end\ndata: \{\}\n\n$/);
  });
});
