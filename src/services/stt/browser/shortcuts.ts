type Key = Pick<KeyboardEvent, 'key' | 'code'>;

/** The letter that the key types; its position on an English keyboard if it types none of a to z (Russian layout). */
export const isLetterKey = ({ key, code }: Key, letter: string): boolean =>
  /^[a-z]$/i.test(key) ? key.toLowerCase() === letter : code === `Key${letter.toUpperCase()}`;
