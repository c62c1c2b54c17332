import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { testGateway } from '../../test/support/gateway.ts';
import type { Attributes, Span, Traces } from '../base/trace.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

/** Records ended spans; `next` waits for one. */
function recordSpans() {
  const ended: { name: string; attributes: Attributes; error: string | undefined }[] = [];
  let wake = () => {};
  const begin: Traces['begin'] = (name, { attributes = {} }): Span => ({
    traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
    traceId: TRACE,
    child: (child, options = {}) => begin(child, options),
    end(more = {}, error) {
      ended.push({ name, attributes: { ...attributes, ...more }, error });
      wake();
    },
  });
  const traces: Traces = { begin, close: async () => {} };
  const next = async () => {
    while (ended.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return ended.shift()!;
  };
  return { traces, next };
}

it('a request span contains the route and status but not the URL', async () => {
  const { traces, next } = recordSpans();
  const { app, log } = await testGateway({ traces }, (gateway) => {
    gateway.get('/broken/:id', { config: { access: 'public' } }, (request) => {
      request.log.info('about to break');
      throw new Error('broken');
    });
  });
  await app.inject('/result/some-task?page=2');
  expect(await next()).toEqual({
    name: 'GET /result/:task_id',
    error: undefined,
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/result/:task_id',
      'http.response.status_code': 401,
      'url.scheme': 'http',
      'assay.service': 'sample',
      'assay.request.id': expect.any(String),
    },
  });
  await app.inject('/nowhere/some-id');
  expect(await next()).toMatchObject({
    name: 'GET',
    attributes: { 'http.response.status_code': 404 },
    error: undefined,
  });
  await app.inject('/broken/some-id');
  expect(await next()).toMatchObject({ name: 'GET /broken/:id', error: '500' });
  const lines = log.filter(({ trace_id }) => trace_id === TRACE);
  expect(lines.map(({ msg }) => msg)).toContain('about to break');
  expect(lines.find(({ msg }) => msg === 'about to break')).toHaveProperty('request_id');
  await app.close();
});

it('the span of a disconnected client ends without a status', async () => {
  const { traces, next } = recordSpans();
  let onRequest = () => {};
  const waiting = new Promise<void>((resolve) => {
    onRequest = resolve;
  });
  const { app } = await testGateway({ traces }, (gateway) => {
    gateway.get('/slow', { config: { access: 'public' } }, () => {
      onRequest();
      return new Promise(() => {});
    });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n');
  await waiting;
  socket.destroy();
  const span = await next();
  expect(span).toMatchObject({ name: 'GET /slow', error: 'client_gone' });
  expect(span.attributes['http.response.status_code']).toBeUndefined();
  await app.close();
});
