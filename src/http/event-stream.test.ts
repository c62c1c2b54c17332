import { expect, it } from 'vitest';
import { rawConnection, testGateway } from '../../test/support/gateway.ts';
import { type EventStream, openEventStream } from './event-stream.ts';

async function streaming(onStream: (stream: EventStream) => void) {
  const { app } = await testGateway({ closeGraceMs: 100 }, (gateway) => {
    gateway.get('/stream', { config: { access: 'public' } }, async (_request, reply) => {
      onStream(openEventStream(reply, { retryMs: 3000 }));
      return reply;
    });
  });
  return app;
}

it('an event stream sends events with optional ids, and nothing after its end', async () => {
  const app = await streaming((stream) => {
    stream.send({ event: 'task', id: 7, data: { text: 'line\nline' } });
    stream.send({ event: 'end', data: {} });
    stream.end();
    stream.send({ event: 'late', data: {} });
  });
  const { body, headers } = await app.inject('/stream');
  expect(body).toBe('retry: 3000\n\nevent: task\nid: 7\ndata: {"text":"line\\nline"}\n\nevent: end\ndata: {}\n\n');
  expect(headers['content-type']).toBe('text/event-stream; charset=utf-8');
  await app.close();
});

it('an event stream without a retry time begins with its first event', async () => {
  const { app } = await testGateway({}, (gateway) => {
    gateway.get('/stream', { config: { access: 'public' } }, async (_request, reply) => {
      const stream = openEventStream(reply);
      stream.send({ event: 'end', data: {} });
      stream.end();
      return reply;
    });
  });
  expect((await app.inject('/stream')).body).toBe('event: end\ndata: {}\n\n');
  await app.close();
});

it('an event stream ends when the client disconnects', async () => {
  let resolveEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    resolveEnded = resolve;
  });
  const app = await streaming((stream) => stream.closed.addEventListener('abort', resolveEnded));
  const { socket, received } = await rawConnection(app);
  socket.write('GET /stream HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(await received(200)).toContain('retry: 3000');
  socket.destroy();
  await ended;
  await app.close();
});

it('an event stream disconnects a client that does not read', async () => {
  let resolveEnded = (_sent: number) => {};
  const ended = new Promise<number>((resolve) => {
    resolveEnded = resolve;
  });
  const app = await streaming((stream) => {
    let sent = 0;
    const data = 'x'.repeat(64 * 1024);
    const more = setInterval(() => {
      stream.send({ event: 'task', data });
      sent++;
    });
    stream.closed.addEventListener('abort', () => {
      clearInterval(more);
      resolveEnded(sent);
    });
  });
  const { socket } = await rawConnection(app);
  socket.pause();
  socket.write('GET /stream HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(await ended).toBeGreaterThan(0);
  socket.destroy();
  await app.close();
});
