import { describe, expect, it, onTestFinished } from 'vitest';
import { testGateway } from '../../../test/support/gateway.ts';
import { helpRoutes } from './help-routes.ts';

describe('GET /help without the documentation folder', () => {
  it('returns 404 as JSON and as a page', async () => {
    const { app } = await testGateway({}, (gateway) => {
      gateway.decorate('assets', async () => ({ address: () => undefined, scripts: () => [] }));
      helpRoutes(gateway, { version: '1.2.3', folder: new URL('nothing-here/', import.meta.url) });
    });
    onTestFinished(() => app.close());
    for (const url of ['/help', '/help/installation']) {
      const response = await app.inject({ url });
      expect([response.statusCode, response.json().error.message]).toEqual([
        404,
        'The documentation is not installed.',
      ]);
      const page = await app.inject({ url, headers: { accept: 'text/html', 'accept-language': 'ru' } });
      expect([page.statusCode, page.headers['content-language']]).toEqual([404, 'ru']);
      expect(page.body).toContain('Документация не установлена.');
      expect(page.body).toContain(`<a href="${url === '/help' ? '' : '../'}docs">/docs</a>`);
    }
    expect((await app.inject({ url: '/help/passages.json' })).json()).toEqual({ passages: [] });
  });
});
