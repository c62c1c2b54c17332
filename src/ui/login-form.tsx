/** The words of a login page. */
export interface LoginTexts {
  readonly signIn: string;
  /** What has to be given. */
  readonly key: string;
  /** Where it is to be had. */
  readonly signInWhy: string;
  /** Shown where a link has filled in the key. */
  readonly fromLink: string;
  /** Shown to a browser that is signed in, before a link to the pages. */
  readonly signedIn: string;
  readonly goOn: string;
}

/** The field of a form whose key came from a link: such a form never replaces a session. */
export const FROM_LINK = 'from_link';

export const LOGIN_SCRIPT = 'ui/browser/login-page.js';

/**
 * Asks for a key or token and posts it as `field` to `login`; `browser/login-page.ts` fills it in from the address's
 * fragment `fragment=…`, unless the browser is signed in.
 */
export function LoginForm(given: {
  words: LoginTexts;
  field: string;
  fragment: string;
  /** Why it has to be asked for again. */
  refused?: string;
  signedIn?: boolean;
  /** What else the form carries. */
  children?: JSX.Element;
}): JSX.Element {
  const { words, field, fragment, refused, signedIn = false } = given;
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
      {refused === undefined ? (
        ''
      ) : (
        <p class="notice bad" role="alert" safe>
          {refused}
        </p>
      )}
      {signedIn ? (
        <p class="notice" id="signed-in">
          <span safe>{words.signedIn}</span>{' '}
          <a href="./" safe>
            {words.goOn}
          </a>
        </p>
      ) : (
        ''
      )}
      <p class="notice" id="from-link" role="status" hidden safe>
        {words.fromLink}
      </p>
      <p class="hint" id="login-why" safe>
        {words.signInWhy}
      </p>
      <input type="hidden" name={FROM_LINK} value="1" disabled />
      {given.children ?? ''}
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
