/** The role of issued tokens and keys that create only sandbox tasks (docs/sandbox.md). */
export const SANDBOX_ROLE = 'sandbox';

/** Names of other tokens begin with `token-`, and names of API keys contain no colon. */
const PREFIX = 'sandbox:';

export const sandboxPrincipal = (name: string) => `${PREFIX}${name}`;

export const isSandboxPrincipal = (principal: string | undefined): boolean => principal?.startsWith(PREFIX) ?? false;
