import type { UrlRejected } from '../../src/base/outbound-url.ts';

const MESSAGES = {
  too_long: /longer than/,
  syntax: /contains a space|not an absolute URL/,
  scheme: /must begin with https/,
  userinfo: /user name or password/,
  fragment: /fragment/,
  host: /plain host name|must name its host/,
  port: /\bport\b/,
  not_listed: /not one of the allowed hosts|leaves the configured origin/,
  not_public: /not a public one/,
};

/** Which rule rejected the URL: the names of all messages that match, normally one. */
export const rejectionReasonOf = ({ message }: UrlRejected): string =>
  Object.entries(MESSAGES)
    .flatMap(([reason, pattern]) => (pattern.test(message) ? [reason] : []))
    .join();
