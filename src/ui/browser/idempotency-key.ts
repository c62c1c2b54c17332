/** `crypto.randomUUID` requires https or localhost. */
export const newIdempotencyKey = () =>
  [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-');
