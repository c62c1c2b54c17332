import { type Static, Type } from 'typebox';
import { rateLimitExceeded } from '../../base/api-error.ts';
import { newId } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import type { UrlPolicy } from '../../base/outbound-url.ts';
import { describeErrors, describeResponse, Success, success } from '../../http/envelope.ts';
import type { Gateway } from '../../http/gateway.ts';
import { checkUrlField } from './accept-task.ts';
import type { GatewayContext } from './service.ts';
import { Url } from './task-schema.ts';
import { WebhookSecret } from './webhook-secret.ts';

/** Per client. */
const TESTS_PER_MINUTE = 10;

const TestRequest = Type.Object(
  {
    url: Url('The receiver, under the rules of webhooks.'),
    secret: Type.Optional(WebhookSecret('Signs the event (`v1`); default: that of the token.')),
  },
  { examples: [{ url: 'https://receiver.example.com/hook' }] },
);

export const TestResult = Success(
  Type.Object({
    delivery_id: Type.String(),
    delivered: Type.Boolean({ description: 'The receiver returned a 2xx status in time.' }),
    response_status_code: Type.Optional(Type.Integer()),
    error: Type.Optional(Type.String({ description: 'As in `last_error`.' })),
    duration_ms: Type.Optional(Type.Integer()),
  }),
);

/** `POST /deliveries/test`: sends a signed example to a receiver. */
export function deliveryTestRoute(
  app: Gateway,
  deps: {
    service: string;
    context: Pick<GatewayContext, 'limits' | 'testWebhook' | 'endpoints'>;
    policy: UrlPolicy;
    /** The body of a webhook. */
    example: { readonly data: JsonObject };
    secretsFor: (principal: string) => readonly string[];
  },
): void {
  const { service, context, policy, example, secretsFor } = deps;

  app.post<{ Body: Static<typeof TestRequest> }>(
    '/deliveries/test',
    {
      config: {
        access: 'task',
        limited: context.limits.window(`${service}-webhook-test`, { limit: TESTS_PER_MINUTE })!,
      },
      schema: {
        summary: 'Send a test webhook',
        description: `Sends one signed event \`${service}.result.test\` and returns the outcome. The body is an example of a result with \`test: true\`. A success resumes a paused endpoint. At most ${TESTS_PER_MINUTE} a minute.`,
        operationId: 'testWebhook',
        tags: ['deliveries'],
        body: TestRequest,
        response: {
          200: describeResponse('The outcome, also if the receiver failed.', TestResult, {
            delivered: success({
              delivery_id: 'whd_01KAF3M9WZ3RS8V5X2K7J4H6G9',
              delivered: true,
              response_status_code: 204,
              duration_ms: 31,
            }),
          }),
          429: describeErrors(rateLimitExceeded(30)),
        },
      },
    },
    async ({ principal, body: { url, secret }, id: requestId }) => {
      checkUrlField('url', url, policy);
      const deliveryId = newId('whd_');
      const webhook = { ...(example.data['webhook'] as JsonObject), delivery_id: deliveryId };
      const { delivered, statusCode, error, durationMs } = await context.testWebhook(policy, {
        ...{ url, deliveryId, attempt: 1, event: `${service}.result.test`, requestId },
        secret: secret ?? secretsFor(principal),
        taskId: String(example.data['task_id']),
        body: JSON.stringify(success({ ...example.data, test: true, webhook })),
      });
      if (delivered) await context.endpoints.resume(principal, new URL(url).origin);
      return success({
        delivery_id: deliveryId,
        delivered,
        ...(statusCode !== undefined && { response_status_code: statusCode }),
        ...(error !== undefined && { error }),
        ...(durationMs !== undefined && { duration_ms: durationMs }),
      });
    },
  );
}
