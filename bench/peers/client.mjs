// A client of the contract, on connections that stay open.
import { Agent, request } from 'node:http';

export const TOKEN = 'bench-token';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Status, headers and parsed body of one exchange; a token of `null` is not sent. */
export function exchange(url, { method = 'GET', body, token = TOKEN } = {}) {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(sent !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
  };
  return new Promise((resolve, reject) => {
    const asking = request(url, { method, headers, agent }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.once('error', reject);
      response.once('close', () => reject(new Error('the answer was cut off')));
      response.once('end', () => {
        const text = Buffer.concat(parts).toString();
        resolve({ status: response.statusCode, headers: response.headers, body: text && JSON.parse(text) });
      });
    });
    asking.once('error', reject);
    asking.end(sent);
  });
}

/** Creates a task and answers its id. */
export async function predict(url, body) {
  const { status, body: answer } = await exchange(`${url}/predict`, { method: 'POST', body });
  if (status !== 202) throw new Error(`POST /predict was answered ${status}`);
  return answer.data.task_id;
}
