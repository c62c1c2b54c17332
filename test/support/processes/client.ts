import sharp from 'sharp';

export const TOKEN = 'test-token-1';

export interface Client {
  call(path: string, init?: RequestOptions): Promise<ClientResponse>;
}

export interface RequestOptions {
  headers?: Record<string, string>;
  /** Sent with POST: bytes as they are, anything else as JSON. */
  body?: object;
  timeoutMs?: number;
}

export interface ClientResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

export const createClient = (url: string): Client => ({
  async call(path, { headers = {}, body, timeoutMs = 25_000 } = {}) {
    const bytes = body instanceof Uint8Array;
    const response = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body !== undefined && { 'content-type': bytes ? 'image/jpeg' : 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: bytes ? new Uint8Array(body) : JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  },
});

/** Creates a small JPEG, different for each number. */
export function createPicture(number: number): Promise<Buffer> {
  const background = { r: (number * 37) % 256, g: (number * 91) % 256, b: (number * 53) % 256 };
  return sharp({ create: { width: 64, height: 48, channels: 3, background } })
    .jpeg()
    .toBuffer();
}

export async function uploadPicture({ call }: Client, number: number): Promise<string> {
  return (await call('/files', { body: await createPicture(number) })).body.data.url;
}

export const predict = ({ call }: Client, image_url: string, more: object = {}): Promise<ClientResponse> =>
  call('/predict', { body: { image_url, ...more } });

export async function waitForTask({ call }: Client, id: string): Promise<Record<string, any>> {
  for (let i = 0; i < 12; i++) {
    const { status, body } = await call(`/result/${id}`, { headers: { prefer: 'wait=5' } });
    if (status === 200) return body.data;
  }
  throw new Error(`The task ${id} did not end within 60 s.`);
}
