import { A, Button, H1, Label, P } from './text-elements.tsx';
export interface LoginTexts {
  readonly signIn: string;
  readonly key: string;
  /** Where to get the key. */
  readonly signInWhy: string;
  /** Shown if a link has filled in the key. */
  readonly fromLink: string;
  /** Shown with a link to the pages to a signed-in browser. */
  readonly signedIn: string;
  readonly goOn: string;
}

/** Marks a form that a link has filled in: it never replaces a session. */
export const FROM_LINK = 'from_link';

export const LOGIN_SCRIPT = 'ui/browser/login-page.js';

/**
 * Posts a key or token as `field` to `login`. `browser/login-page.ts` fills it in from the URL fragment `fragment=…`,
 * unless the browser is signed in.
 */
export function LoginForm(props: {
  words: LoginTexts;
  field: string;
  fragment: string;
  /** The error of the last attempt. */
  refused?: string;
  signedIn?: boolean;
  children?: JSX.Element;
}): JSX.Element {
  const { words, field, fragment, refused, signedIn = false } = props;
  return (
    <form
      id="login"
      class="panel token"
      method="post"
      action="login"
      data-fragment={fragment}
      {...(signedIn && { 'data-signed-in': '' })}
      aria-labelledby="login-title"
    >
      <H1 id="login-title" text={words.signIn} />
      {refused !== undefined && <P class="notice bad" role="alert" text={refused} />}
      {signedIn && (
        <p class="notice" id="signed-in">
          <span safe>{words.signedIn}</span> <A href="./" text={words.goOn} />
        </p>
      )}
      <P class="notice" id="from-link" role="status" hidden text={words.fromLink} />
      <P class="hint" id="login-why" text={words.signInWhy} />
      <input type="hidden" name={FROM_LINK} value="1" disabled />
      {props.children ?? ''}
      <div class="row">
        <Label class="visually-hidden" for={field} text={words.key} />
        <input
          id={field}
          name={field}
          type="password"
          required
          autocomplete="current-password"
          spellcheck="false"
          placeholder={words.key}
          aria-describedby="login-why"
        />
        <Button type="submit" class="primary" text={words.signIn} />
      </div>
    </form>
  );
}
