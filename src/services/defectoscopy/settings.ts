import { choice, flag, integer, list, text, verbatim } from '../../base/settings.ts';

/** Where "not defined" and "empty" differ (the tokens), the text is taken as it is: see bearer.ts for the verdict. */
export const settings = {
  port: integer('DEFECTOSCOPY_PORT', 8001, 'Port of the defectoscopy listener.', { max: 65_535 }),
  publicUrl: text('DEFECTOSCOPY_PUBLIC_URL', undefined, 'Base address under which clients reach the service.'),
  apiTokens: verbatim(
    'DEFECTOSCOPY_API_TOKENS',
    'Accepted bearer tokens, comma-separated; `sha256:<hex>` in place of a token keeps only its digest here. Defined but empty disables authorization; not defined at all makes the task endpoints answer 503.',
    { secret: true },
  ),
  apiToken: verbatim('DEFECTOSCOPY_API_TOKEN', 'A single accepted bearer token (compatible mode).', { secret: true }),
  auth: choice(
    'DEFECTOSCOPY_AUTH',
    ['tokens', 'disabled'],
    'tokens',
    '`disabled` is one more way to ask for no tokens.',
  ),
  allowedImageHosts: list(
    'DEFECTOSCOPY_ALLOWED_IMAGE_HOSTS',
    [],
    'Object-storage hosts that image_url may name (`host` means port 443, `host:port` that port). Empty: none but our own file host.',
  ),
  imageHostsAllowPrivate: flag(
    'DEFECTOSCOPY_IMAGE_HOSTS_ALLOW_PRIVATE',
    false,
    'The listed hosts may have private addresses (a storage on the same premises).',
  ),
  rateLimitPerMinute: integer(
    'DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE',
    1000,
    'Requests of one token in any 60 seconds; 0 switches the limit off.',
  ),
  webhookSecrets: verbatim(
    'DEFECTOSCOPY_WEBHOOK_SECRETS',
    'Secrets that callbacks are signed with, per token: `<first 12 hex digits of the SHA-256 of the token>:whsec_…`, comma-separated.',
    { secret: true },
  ),
  modelVersion: text(
    'DEFECTOSCOPY_MODEL_VERSION',
    undefined,
    'Model version used when a request names none; by default the one that ships with the product.',
  ),
  estimateWarmSeconds: integer('DEFECTOSCOPY_ESTIMATE_WARM', 90, 'Estimated wait while a worker is warm, in seconds.'),
  coldStartSeconds: integer('DEFECTOSCOPY_COLD_START_SECONDS', 90, 'Part of the cold estimate: loading the model.'),
  costDelaySeconds: integer(
    'DEFECTOSCOPY_COST_DELAY_SECONDS',
    120,
    'How long batch work waits for company before it starts a cold worker; part of the cold estimate.',
  ),
};
