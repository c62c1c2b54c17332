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
      <h1 id="login-title" safe>
        {words.signIn}
      </h1>
      {refused !== undefined && (
        <p class="notice bad" role="alert" safe>
          {refused}
        </p>
      )}
      {signedIn && (
        <p class="notice" id="signed-in">
          <span safe>{words.signedIn}</span>{' '}
          <a href="./" safe>
            {words.goOn}
          </a>
        </p>
      )}
      <p class="notice" id="from-link" role="status" hidden safe>
        {words.fromLink}
      </p>
      <p class="hint" id="login-why" safe>
        {words.signInWhy}
      </p>
      <input type="hidden" name={FROM_LINK} value="1" disabled />
      {props.children ?? ''}
      <div class="row">
        <label class="visually-hidden" for={field} safe>
          {words.key}
        </label>
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
        <button type="submit" class="primary" safe>
          {words.signIn}
        </button>
      </div>
    </form>
  );
}
