import { type Static, Type } from 'typebox';
import type { UrlPolicy } from '../../base/outbound-url.ts';
import { unixSeconds } from '../../base/time.ts';
import { describeResponse, success } from '../../http/envelope.ts';
import type { Gateway } from '../../http/gateway.ts';
import type { FailingEndpoint } from '../../tasks/endpoints.ts';
import { checkUrlField } from './accept-task.ts';
import { EndpointList, endpointExample, Resumed } from './delivery-schema.ts';
import type { GatewayContext } from './service.ts';
import { Url } from './task-schema.ts';

const ResumeRequest = Type.Object(
  { endpoint: Url('The receiver, or any URL of it.') },
  { examples: [{ endpoint: endpointExample.endpoint }] },
);

/** Adds `/deliveries/endpoints`: the credential's webhook receivers that fail, and how to resume paused ones. */
export function endpointRoutes(
  app: Gateway,
  { endpoints, policy }: Pick<GatewayContext, 'endpoints'> & { policy: UrlPolicy },
): void {
  const config = { access: 'task', limited: true } as const;

  app.get(
    '/deliveries/endpoints',
    {
      config,
      schema: {
        summary: 'Failing and paused webhook receivers',
        description:
          'The receivers of this credential whose last attempts failed. One that fails for 24 hours is paused: its webhooks are held until it works again.',
        operationId: 'listEndpoints',
        tags: ['deliveries'],
        response: {
          200: describeResponse('The receivers.', EndpointList, {
            paused: success({ endpoints: [endpointExample] }),
          }),
        },
      },
    },
    async ({ principal }) => success({ endpoints: (await endpoints.list(principal)).map(toJson) }),
  );

  app.post<{ Body: Static<typeof ResumeRequest> }>(
    '/deliveries/endpoints/resume',
    {
      config,
      schema: {
        summary: 'Resume a paused webhook receiver',
        description: 'Ends the pause of a receiver and sends the held webhooks, 50 a second.',
        operationId: 'resumeEndpoint',
        tags: ['deliveries'],
        body: ResumeRequest,
        response: { 200: describeResponse('The outcome.', Resumed, { resumed: success({ resumed: true }) }) },
      },
    },
    async ({ principal, body: { endpoint } }) => {
      const { origin } = checkUrlField('endpoint', endpoint, policy);
      return success({ resumed: await endpoints.resume(principal, origin) });
    },
  );
}

const toJson = ({ origin, failingSince, failures, pausedAt, held }: FailingEndpoint) => ({
  endpoint: origin,
  state: pausedAt === null ? ('failing' as const) : ('paused' as const),
  failing_since: toUnixSeconds(failingSince),
  failed_attempts: failures,
  ...(pausedAt !== null && { paused_at: toUnixSeconds(pausedAt) }),
  held,
});

const toUnixSeconds = (seconds: number) => unixSeconds(new Date(seconds * 1000));
