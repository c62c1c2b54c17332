/** The words of a login page. */
export interface LoginTexts {
  readonly signIn: string;
  /** What has to be given. */
  readonly key: string;
  /** Where it is to be had. */
  readonly signInWhy: string;
}

export const LOGIN_SCRIPT = 'ui/browser/login-page.js';

/**
 * Asks for a key or token and posts it as `field` to `login`; `browser/login-page.ts` takes it from the address's
 * fragment `fragment=…`.
 */
export function LoginForm(given: {
  words: LoginTexts;
  field: string;
  fragment: string;
  /** Why it has to be asked for again. */
  refused?: string;
  /** What else the form carries. */
  children?: JSX.Element;
}): JSX.Element {
  const { words, field, fragment, refused } = given;
  return (
    <form
      id="login"
      class="panel token"
      method="post"
      action="login"
      data-fragment={fragment}
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
      <p class="hint" id="login-why" safe>
        {words.signInWhy}
      </p>
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
