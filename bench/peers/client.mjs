import { Agent, request } from 'node:http';

export const TOKEN = 'bench-token';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Sends one request; a `null` token is not sent. */
export function exchange(url, { method = 'GET', body, token = TOKEN } = {}) {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(sent !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.once('error', reject);
      response.once('close', () => reject(new Error('the response was cut off')));
      response.once('end', () => {
        const text = Buffer.concat(parts).toString();
        resolve({ status: response.statusCode, headers: response.headers, body: text && JSON.parse(text) });
      });
    });
    outgoing.once('error', reject);
    outgoing.end(sent);
  });
}

export async function predict(url, body) {
  const { status, body: accepted } = await exchange(`${url}/predict`, { method: 'POST', body });
  if (status !== 202) throw new Error(`POST /predict returned ${status}`);
  return accepted.data.task_id;
}
