import { describe, expect, it, onTestFinished } from 'vitest';
import { testGateway } from '../http/testing/gateway.ts';
import { helpRoutes } from './help-routes.ts';

describe('the help of an installation that comes without its documents', () => {
  it('says so, to a program and to a person', async () => {
    const { app } = await testGateway({}, (gateway) => {
      gateway.decorate('assets', async () => ({ address: () => undefined, scripts: () => [] }));
      helpRoutes(gateway, { version: '1.2.3', folder: new URL('nothing-here/', import.meta.url) });
    });
    onTestFinished(() => app.close());
    for (const url of ['/help', '/help/run']) {
      const told = await app.inject({ url });
      expect([told.statusCode, told.json().error.message]).toEqual([
        404,
        'This installation comes without its documentation.',
      ]);
      const shown = await app.inject({ url, headers: { accept: 'text/html', 'accept-language': 'ru' } });
      expect([shown.statusCode, shown.headers['content-language']]).toEqual([404, 'ru']);
      expect(shown.body).toContain('Эта установка поставлена без документации.');
      expect(shown.body).toContain(`<a href="${url === '/help' ? '' : '../'}docs">/docs</a>`);
    }
    expect((await app.inject({ url: '/help/passages.json' })).json()).toEqual({ passages: [] });
  });
});
