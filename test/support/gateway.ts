import { type AddressInfo, connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { Type } from 'typebox';
import { sleep } from '../../src/base/loop.ts';
import { createBearerGuard, parseTokenSettings } from '../../src/http/bearer.ts';
import { describeResponse, Success, success } from '../../src/http/envelope.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../src/http/gateway.ts';
import { createMetrics } from '../../src/http/metrics.ts';

export const TOKEN = 'secret-token';
export const BEARER = { authorization: `Bearer ${TOKEN}` };

/** A gateway with sample routes; `log` collects the log lines. */
export async function testGateway(over: Partial<GatewayOptions> = {}, more?: (app: Gateway) => void | Promise<void>) {
  const log: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => void log.push(JSON.parse(line) as Record<string, unknown>) };
  const metrics = createMetrics({ version: '1.2.3' });
  const app = await createGateway({
    service: 'sample',
    title: 'Sample service',
    description: 'A sample service.',
    version: '1.2.3',
    log: pino({ level: 'info' }, stream),
    metrics,
    guard: createBearerGuard(parseTokenSettings({ list: TOKEN })),
    ...over,
  });

  app.get('/open', { config: { access: 'public' } }, () => success('open'));
  app.get('/classes', { config: { access: 'bearer' } }, () => success(['crack']));
  app.get(
    '/result/:task_id',
    {
      config: { access: 'task', limited: true },
      schema: {
        summary: 'Read the state of a task',
        operationId: 'readResult',
        params: Type.Object({ task_id: Type.String() }),
        querystring: Type.Object({ page: Type.Optional(Type.Integer({ minimum: 1 })) }),
        response: { 200: describeResponse('The state.', Success(Type.Object({ task_id: Type.String() }))) },
      },
    },
    (request) => success({ ...(request.params as object), ...(request.query as object), who: request.principal }),
  );
  app.post(
    '/predict',
    {
      config: { access: 'task', limited: true },
      schema: { summary: 'Create a classification task', operationId: 'predict', body: Predict },
    },
    (request, answer) => answer.code(202).send(success(request.body)),
  );
  await more?.(app);
  return { app, log, metrics };
}

const Predict = Type.Object({
  image_url: Type.String({ minLength: 1, maxLength: 2048 }),
  priority: Type.Optional(Type.Union([Type.Literal('realtime'), Type.Literal('batch')])),
  size: Type.Optional(Type.Integer()),
  webhook: Type.Optional(Type.Object({ url: Type.String() })),
});

/** A TCP connection to a gateway; `received` returns all data after the connection was closed, or after `ms`. */
export async function rawConnection(
  app: Gateway,
): Promise<{ socket: Socket; received: (ms?: number) => Promise<string> }> {
  if (!app.server.listening) await app.listen({ port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise((resolve) => socket.once('connect', resolve));
  const received = async (ms = 5000) => {
    await Promise.race([closed, sleep(ms)]);
    return text;
  };
  return { socket, received };
}
