import { ApiError } from '../../../base/api-error.ts';
import type { WorkerRegistry } from '../../../tasks/worker-registry.ts';
import type { VersionProblem, WorkerInfo } from '../result.ts';
import type { Deployment } from './store.ts';
import type { TrainedVersion } from './trainings.ts';

/** The workers and their versions, from heartbeats. */
export interface Fleet {
  /** Versions that requests may name. */
  readonly versions: readonly string[];
  readonly workers: readonly { readonly id: string; readonly info: Partial<WorkerInfo> }[];
}

export const readFleet = (workerRegistry: WorkerRegistry): Fleet => ({
  versions: workerRegistry.modelVersions('defectoscopy').map(({ version }) => version),
  workers: workerRegistry
    .warmWorkers('defectoscopy')
    .map(({ id, info }) => ({ id, info: info as unknown as Partial<WorkerInfo> })),
});

/** The version that DEFECTOSCOPY_MODEL_VERSION sets here or on a worker. */
export const pinnedVersion = ({ workers }: Fleet, setting: string | undefined): string | undefined =>
  setting ?? workers.find(({ info }) => info.pinned)?.info.model_version;

/** The version of requests that name none; undefined while it is unknown. */
export function defaultVersion(fleet: Fleet, setting: string | undefined, deployed: string | null | undefined) {
  const [worker] = fleet.workers;
  return pinnedVersion(fleet, setting) ?? deployed ?? worker?.info.shipped ?? worker?.info.model_version;
}

/** Versions that are deployed but that a worker cannot use. */
export const problemsOf = ({ workers }: Fleet): { version: string; worker: string; problem: VersionProblem }[] =>
  workers.flatMap(({ id, info: { problems = {} } }) =>
    Object.entries(problems).map(([version, problem]) => ({ version, worker: id, problem })),
  );

export const modelPinned = (version: string) =>
  new ApiError(
    'MODEL_PINNED',
    409,
    `The setting DEFECTOSCOPY_MODEL_VERSION makes ${version} the default. Remove it to promote versions.`,
  );
export const modelNotInstalled = (message: string) => new ApiError('MODEL_NOT_INSTALLED', 409, message);
export const alreadyDefault = (version: string) =>
  new ApiError('MODEL_ALREADY_DEFAULT', 409, `${version} is already the default version.`);
export const noEarlierVersion = () =>
  new ApiError('NO_EARLIER_VERSION', 409, 'No version was promoted that a rollback could undo.');
export const defaultChanged = (version: string | undefined) =>
  new ApiError('VERSION_CONFLICT', 412, `The default version is ${version ?? 'the newest shipped one'} now.`);

/**
 * Throws unless every warm worker has the version, or without warm workers, one had it within a day. Workers that have its
 * network install a version that is `stored` in the database.
 */
export function requireInstalled(
  { versions, workers }: Fleet,
  version: string,
  stored: ReadonlyMap<string, TrainedVersion>,
): void {
  const trained = stored.get(version);
  if (!trained && !versions.includes(version)) {
    const reason =
      workers.length > 0
        ? `The version ${version} is not installed.`
        : `No worker is running, and none has had the version ${version} in the last day. Start a worker that has it.`;
    throw modelNotInstalled(reason);
  }
  const older = workers.find(({ info }) => !info.versions);
  if (older)
    throw modelNotInstalled(
      `The worker ${older.id} runs an older program that does not follow deployments. Upgrade it first.`,
    );
  if (trained?.network === null) return;
  const lacking = workers.find(
    ({ info: { versions = [], networks = [] } }) =>
      !versions.includes(version) && !(trained?.network && networks.includes(trained.network)),
  );
  if (!lacking) return;
  throw modelNotInstalled(
    trained
      ? `The worker ${lacking.id} lacks the network of the version ${trained.base}, on which ${version} was trained.`
      : `The version ${version} is not installed on the worker ${lacking.id}.`,
  );
}

/** For responses: null becomes absent. */
export const versionsOf = ({
  defaultVersion,
  shadowVersion,
}: Pick<Deployment, 'defaultVersion' | 'shadowVersion'>): { default?: string; shadow?: string } => ({
  ...(defaultVersion !== null && { default: defaultVersion }),
  ...(shadowVersion !== null && { shadow: shadowVersion }),
});
