import { Fault } from '../base/faults.ts';

// What goes wrong below the routes: a client that does not speak HTTP well, or does not get to the end of a sentence.

export const badRequest = () => new Fault('BAD_REQUEST', 400, 'The request is not well-formed HTTP.');
export const requestTimeout = () => new Fault('REQUEST_TIMEOUT', 408, 'The request took too long to arrive.');
export const uriTooLong = (limit: number) =>
  new Fault('URI_TOO_LONG', 414, `The address is longer than the limit of ${limit} characters.`);
export const headersTooLarge = (limitBytes: number) =>
  new Fault('HEADERS_TOO_LARGE', 431, `The request headers are larger than the limit of ${limitBytes} bytes.`);
