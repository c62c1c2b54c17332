import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly resource: Readonly<Record<string, string | number>>;
  readonly failed: boolean;
  readonly seconds: number;
}

export interface Collector {
  readonly url: string;
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string }[];
  spans(): ReceivedSpan[];
  /** Waits for a span with this name and, if given, this trace id. */
  span(name: string, traceId?: string): Promise<ReceivedSpan>;
  close(): Promise<void>;
}

/** A trace collector that accepts OTLP/HTTP in JSON and keeps every request. */
export async function startCollector(status = 200): Promise<Collector> {
  const requests: Collector['requests'] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      requests.push({ path: request.url!, headers: request.headers, text: Buffer.concat(pieces).toString('utf8') });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
      server.emit('collected');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const spans = () => requests.flatMap(({ text }) => parseSpans(JSON.parse(text)));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans,
    async span(name, traceId) {
      for (;;) {
        const found = spans().find((span) => span.name === name && span.traceId === (traceId ?? span.traceId));
        if (found) return found;
        await once(server, 'collected', { signal: AbortSignal.timeout(20_000) });
      }
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

function parseSpans({ resourceSpans }: any): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    scopeSpans.flatMap((scope: any) =>
      scope.spans.map((span: any) => ({
        ...{ name: span.name, kind: KINDS[span.kind], traceId: span.traceId, spanId: span.spanId },
        ...(span.parentSpanId && { parentSpanId: span.parentSpanId }),
        attributes: attributesByName(span.attributes),
        resource: attributesByName(resource.attributes),
        failed: span.status?.code === 2,
        seconds: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e9,
      })),
    ),
  );
}

const attributesByName = (attributes: { key: string; value: Record<string, string | number> }[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]!]));
