import type { Csrf } from '../../../http/csrf.ts';
import type { ErrorPage } from '../../../http/error-handler.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { assetRoutes } from '../../../ui/assets.ts';
import { LOGIN_SCRIPT, LoginForm, type LoginTexts } from '../../../ui/login-form.tsx';
import { createErrorPage } from '../../shared/error-page.tsx';
import type { AuthGuard } from '../auth/auth-guard.ts';
import { listTexts } from '../browser/list-texts.ts';
import type { Schema } from '../schema/schema.ts';
import type { DocumentStore } from '../store/postgres.ts';
import type { TemplateStore } from '../store/templates.ts';
import { batchPage } from './batch-page.tsx';
import { createFrame, type Frame } from './frame.tsx';
import { listPage } from './list-page.tsx';
import { qualityPage } from './quality-page.tsx';
import { createRejectedForms, fieldLabel } from './rejected-forms.tsx';
import { taskPage } from './task-page.tsx';
import { templatesPage } from './templates-page.tsx';
import { createUploadResult, type SendUploadResult } from './upload-result.tsx';

/** The pages use the same routes as other clients; their forms work without a script. */
export function pageRoutes(
  app: Gateway,
  deps: {
    documents: DocumentStore;
    templates: TemplateStore;
    authGuard: AuthGuard;
    csrf: Csrf;
    schema: Schema;
    publicOrigins: readonly string[];
    /** Of a document that is created from photos. */
    maxImages: number;
    version: string;
  },
): { refusal: ErrorPage; sendUploadResult: SendUploadResult } {
  const { documents, templates, schema, maxImages, version } = deps;
  const assets = assetRoutes(app, { folders: ['ui', 'services/passports'], files: [] });
  const frame = createFrame({ ...deps, assets });
  listPage(app, { frame, documents, maxImages });
  taskPage(app, { frame, documents, schema });
  qualityPage(app, { frame, documents, schema });
  templatesPage(app, { frame, templates, schema });
  batchPage(app, { frame });
  loginPage(app, { frame });
  const refusal = createErrorPage({
    ...{ assets, version, texts: listTexts },
    styles: ['ui/workspace.css', ...['list', 'review'].map((name) => `services/passports/browser/${name}.css`)],
    fieldLabel: (name, language) => fieldLabel(schema, name, language),
    rejectedForm: createRejectedForms({ ...deps, frame }),
    login: ({ words, message }) => <Login words={words} refused={message} />,
  });
  return { refusal, sendUploadResult: createUploadResult(frame, deps.publicOrigins) };
}

function loginPage(app: Gateway, { frame }: { frame: Frame }): void {
  app.get('/login', { config: { access: 'public', page: true }, schema: { hide: true } }, async (request, reply) => {
    const viewer = await frame.viewer(request);
    const words = listTexts[viewer.language];
    return frame.send(reply, viewer, {
      title: words.signIn,
      styles: ['services/passports/browser/list.css'],
      script: LOGIN_SCRIPT,
      nav: '',
      children: <Login words={words} signedIn={viewer.tokenSource === 'cookie'} />,
    });
  });
}

/** `refused` is the error of the previous attempt. */
function Login(props: { words: LoginTexts; refused?: string; signedIn?: boolean }): JSX.Element {
  return (
    <LoginForm {...props} field="api_key" fragment="key">
      {''}
    </LoginForm>
  );
}
