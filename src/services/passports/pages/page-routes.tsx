import type { Csrf } from '../../../http/csrf.ts';
import type { ErrorPage } from '../../../http/error-handler.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { assetRoutes } from '../../../ui/assets.ts';
import { createErrorPage } from '../../shared/error-page.tsx';
import type { AuthGuard } from '../auth/auth-guard.ts';
import { listTexts } from '../browser/list-texts.ts';
import type { Schema } from '../schema/schema.ts';
import type { DocumentStore } from '../store/postgres.ts';
import { createFrame } from './frame.tsx';
import { listPage } from './list-page.tsx';
import { Login, loginPage } from './login-page.tsx';
import { taskPage } from './task-page.tsx';

/** The pages use the same routes as other clients; their forms work without a script. */
export function pageRoutes(
  app: Gateway,
  deps: { documents: DocumentStore; authGuard: AuthGuard; csrf: Csrf; schema: Schema; version: string },
): { refusal: ErrorPage } {
  const { documents, schema, version } = deps;
  const assets = assetRoutes(app, { folders: ['ui', 'services/passports'], files: [] });
  const frame = createFrame({ ...deps, assets });
  listPage(app, { frame, documents });
  taskPage(app, { frame, documents, schema });
  loginPage(app, { frame });
  const refusal = createErrorPage({
    ...{ assets, version, texts: listTexts },
    styles: ['ui/workspace.css', 'services/passports/browser/list.css'],
    login: ({ words, message }) => <Login words={words} refused={message} />,
  });
  return { refusal };
}
