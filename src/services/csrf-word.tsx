import { CSRF_FIELD } from '../http/csrf.ts';

export const Word = ({ csrf }: { csrf: string | undefined }): JSX.Element =>
  csrf === undefined ? '' : <input type="hidden" name={CSRF_FIELD} value={csrf} />;

export function SignOut({ words: label, action, csrf }: { words: string; action: string; csrf: string }): JSX.Element {
  return (
    <form method="post" action={action}>
      <Word csrf={csrf} />
      <button type="submit" class="link" safe>
        {label}
      </button>
    </form>
  );
}
