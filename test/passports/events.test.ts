import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEventStream } from '../support/event-stream.ts';
import { type Client, createPdf, type Passports, startPassports, USER_KEY } from '../support/passports.ts';

let passports: Passports;
beforeAll(async () => {
  passports = await startPassports();
});
afterAll(() => passports.stop());

async function endOf(stream: ReturnType<typeof readEventStream>): Promise<void> {
  while ((await stream.next()) !== undefined);
}

const events = async (client: Client, query = '') => (await client.get(`/events${query}`)).body;

describe('GET /events of passports', () => {
  it('returns each end, correction and deletion of the documents of an API key', async () => {
    const client = await passports.signIn(USER_KEY);
    client.cookies.clear();
    const start = await events(client, '?after=latest');
    const [id, failed] = await client.upload(createPdf('a.pdf'), createPdf('b.pdf'));
    await passports.succeed(id!);
    await passports.fail(failed!, 'PDF_ENCRYPTED');
    const edit = { method: 'POST', form: { 'passport:address': 'A street' }, headers: { accept: 'application/json' } };
    const fields = Object.keys((await client.get(`/api/task/${id}/result`)).body.fields);
    const edited = await client.request(`/task/${id}/update`, { ...edit, form: { [fields[0]!]: 'changed' } });
    expect(edited.status).toBe(200);
    await client.request(`/task/${id}`, { method: 'DELETE' });

    const { events: found, next } = await events(client, `?after=${start.next}`);
    const shared = { service: 'passports', created_at: expect.stringMatching(/^\d{4}-.*Z$/), id: expect.any(String) };
    expect(found).toEqual([
      { ...shared, type: 'passports.result.terminal', task_id: id, status: 'SUCCESS', error_type: null },
      {
        ...{ ...shared, type: 'passports.result.terminal', task_id: failed },
        ...{ status: 'PERMANENT_ERROR', error_type: 'PDF_ENCRYPTED' },
      },
      { ...shared, type: 'passports.result.corrected', task_id: id },
      { ...shared, type: 'passports.result.deleted', task_id: id },
    ]);
    expect(await events(client, `?after=${next}`)).toEqual({ events: [], next, more: false });
  });

  it('returns the documents of a session only to the session', async () => {
    const [visitor, other] = [passports.client(), passports.client()];
    const [id] = await visitor.upload(createPdf('c.pdf'));
    await other.upload(createPdf('d.pdf'));
    await passports.succeed(id!);
    expect((await events(visitor)).events).toMatchObject([{ task_id: id }]);
    const { next } = await events(visitor);
    expect((await events(other)).events).toEqual([]);
    const { status, body } = await other.get(`/events?after=${next}`);
    expect([status, body.detail[0].loc]).toEqual([422, ['query', 'after']]);
    expect((await passports.client().get('/events')).status).toBe(401);
  });

  it('ends the streams of a session and of a token within seconds after they end, and no others', async () => {
    const open = async (headers: Record<string, string>) =>
      readEventStream(await fetch(`${passports.url}/events`, { headers: { accept: 'text/event-stream', ...headers } }));
    const bearer = ({ token }: Client) => ({ authorization: `Bearer ${token}` });
    const [revoked, other] = [await passports.signIn(USER_KEY), await passports.signIn(USER_KEY)];
    const browser = passports.client();
    await browser.upload(createPdf('e.pdf'));
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const ending = [await open({ cookie }), await open(bearer(revoked))];
    const staying = await open(bearer(other));
    let stays = true;
    void endOf(staying).then(() => (stays = false));
    expect((await browser.post('/logout')).status).toBeLessThan(400);
    expect((await revoked.post('/logout')).status).toBeLessThan(400);
    const endedMs = performance.now();
    await Promise.all(ending.map(endOf));
    // Two seconds, with reserve for a busy machine.
    expect(performance.now() - endedMs).toBeLessThan(5000);
    expect(stays).toBe(true);
  });
});
