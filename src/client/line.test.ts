import { expect, it } from 'vitest';
import { Assay, type AssayOptions } from './index.ts';

/** A client of whatever answers like this; `asked` are the paths. */
function strangers(answer: (path: string) => Promise<Response>, given: { token?: string; apiKey?: string } = {}) {
  const asked: string[] = [];
  const url = 'http://stranger.example.com';
  const fetch: AssayOptions['fetch'] = (input) => {
    const { pathname } = new URL(String(input));
    asked.push(pathname);
    return answer(pathname);
  };
  const { defectoscopy, passports } = new Assay({
    defectoscopy: { url, ...given },
    passports: { url, ...given },
    fetch,
  });
  return { asked, defectoscopy, passports };
}

it('says so where something else answers, and asks it once', async () => {
  for (const body of ['{}', '[]', 'null', '"ok"', '{"data":null}', '{"data":7}', '<html>']) {
    const { asked, defectoscopy } = strangers(async () => new Response(body));
    await expect(defectoscopy.result('a'), body).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER' });
    await expect(defectoscopy.wait({ task_id: 'a', estimated_wait_seconds: 0 }), body).rejects.toMatchObject({
      code: 'UNEXPECTED_ANSWER',
    });
    expect(asked).toHaveLength(2);
  }
  const { asked, defectoscopy } = strangers(async () => Response.json({ detail: 'Not Found' }, { status: 404 }));
  await expect(defectoscopy.result('a')).rejects.toMatchObject({ name: 'NotFound', status: 404 });
  expect(asked).toHaveLength(1);
});

it('sends nothing where a credential is none that can be sent, and does not call that a lost connection', async () => {
  const { asked, defectoscopy } = strangers(async () => Response.json({}), { token: 'ключ' });
  await expect(defectoscopy.result('a')).rejects.toThrow(TypeError);
  expect(asked).toEqual([]);
});

it('follows no redirect with a credential', async () => {
  const { asked, defectoscopy } = strangers(
    async () => new Response(null, { status: 307, headers: { location: 'https://elsewhere.example.com/' } }),
    { token: 'secret' },
  );
  await expect(defectoscopy.result('a')).rejects.toMatchObject({ status: 307 });
  expect(asked).toHaveLength(1);
});

it('ends a call that waits for the exchange of its key, and no other that waits for the same', async () => {
  let exchange = (_: Response) => {};
  const { asked, passports } = strangers(
    (path) =>
      path === '/auth/token'
        ? new Promise((resolve) => {
            exchange = resolve;
          })
        : Promise.resolve(Response.json({ items: [] })),
    { apiKey: 'key' },
  );
  const stop = new AbortController();
  const reason = new Error('no longer wanted');
  const [impatient, patient] = [passports.list({ signal: stop.signal }), passports.list()];
  stop.abort(reason);
  await expect(impatient).rejects.toBe(reason);
  exchange(Response.json({ token: 't', expires_in: 60 }));
  expect(await patient).toEqual({ items: [] });
  expect(asked).toEqual(['/auth/token', '/api/tasks']);
});
