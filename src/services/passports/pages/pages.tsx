import type { Csrf } from '../../../http/csrf.ts';
import type { Gateway } from '../../../http/gateway.ts';
import type { RefusalPage } from '../../../http/refuse.ts';
import { assetRoutes } from '../../../ui/assets.ts';
import { SignOut } from '../../csrf-word.tsx';
import { refusalPage } from '../../refusal-page.tsx';
import type { Door } from '../auth/door.ts';
import { listTexts } from '../browser/list-texts.ts';
import type { Documents } from '../documents.ts';
import type { Schema } from '../schema/schema.ts';
import { listPage } from './list-page.tsx';
import { Login, loginPage } from './login-page.tsx';
import { type NavFor, taskPage } from './task-page.tsx';

/** The pages use the same routes as other clients; their forms work without a script. */
export function pageRoutes(
  app: Gateway,
  deps: { documents: Documents; authGuard: Door; csrf: Csrf; schema: Schema; version: string },
): { refusal: RefusalPage } {
  const assets = assetRoutes(app, { folders: ['ui', 'services/passports'], files: [] });
  const pages = {
    ...deps,
    assets,
    csrfToken: (session: string) => deps.csrf.token(session),
    nav: ({ language, root, csrf }: NavFor) =>
      csrf === undefined ? (
        <a href={`${root}login`} safe>
          {listTexts[language].signIn}
        </a>
      ) : (
        <SignOut words={listTexts[language].signOut} action={`${root}logout`} csrf={csrf} />
      ),
  };
  listPage(app, pages);
  taskPage(app, pages);
  loginPage(app, pages);
  const refusal = refusalPage({
    ...{ assets, version: deps.version, texts: listTexts },
    styles: ['ui/workspace.css', 'services/passports/browser/list.css'],
    login: ({ words, sentence }) => <Login words={words} refused={sentence} />,
  });
  return { refusal };
}
