import type { Queryable } from '../../../base/db.ts';
import type { Log } from '../../../base/log.ts';
import { readDeployments } from '../deployments/store.ts';
import type { VersionProblem } from '../result.ts';
import type { ModelVersion } from './model-version.ts';
import type { ModelVersions } from './versions.ts';

/** Until a version that cannot be loaded is tried again. */
const RETRY_MS = 60_000;

/**
 * The default and the shadow version as last deployed. A version that cannot be used changes nothing: the previous default
 * answers, or the newest shipped version in a worker that starts.
 */
export async function openDeployedVersions(deps: {
  db: Queryable;
  versions: ModelVersions;
  /** Set by DEFECTOSCOPY_MODEL_VERSION; promotions then have no effect. */
  pinned: ModelVersion | undefined;
  shipped: string;
  /** Installs a version that was trained by a worker of another machine; false if it was not. */
  install: (version: string) => Promise<boolean>;
  log: Log;
}) {
  const { db, versions, pinned, shipped, install, log } = deps;
  let defaultVersion = pinned;
  let shadow: ModelVersion | undefined;
  let problems: Readonly<Record<string, VersionProblem>> = {};
  let isFollowing = false;
  const failedAt = new Map<string, number>();

  const follow = async (wantedDefault: string, wantedShadow: string | null) => {
    const found: Record<string, VersionProblem> = {};
    const load = async (version: string): Promise<ModelVersion | undefined> => {
      if (performance.now() - (failedAt.get(version) ?? Number.NEGATIVE_INFINITY) < RETRY_MS) {
        found[version] = 'not_loadable';
        return undefined;
      }
      try {
        const loaded =
          (await versions.get(version)) ?? ((await install(version)) ? await versions.get(version) : undefined);
        if (!loaded) found[version] = 'not_installed';
        return loaded;
      } catch (err) {
        log.error({ err, version }, 'a deployed model version cannot be loaded');
        failedAt.set(version, performance.now());
        found[version] = 'not_loadable';
        return undefined;
      }
    };
    if (!pinned && defaultVersion?.version !== wantedDefault)
      defaultVersion = (await load(wantedDefault)) ?? defaultVersion;
    if (wantedShadow === null || wantedShadow === defaultVersion?.version) shadow = undefined;
    else if (shadow?.version !== wantedShadow) shadow = await load(wantedShadow);
    problems = found;
  };

  // The first refresh loads the shadow version, so that it does not delay the start.
  const [last] = await readDeployments(db, 1);
  await follow(last?.defaultVersion ?? shipped, null);
  const initial = defaultVersion ?? (await versions.get(shipped));
  if (!initial) throw new Error(`The shipped version ${shipped} was removed.`);
  defaultVersion = initial;

  return {
    defaultVersion: (): ModelVersion => defaultVersion ?? initial,
    shadow: () => shadow,
    problems: () => problems,
    /** Loads in the background, because a network takes seconds. */
    async refresh(): Promise<void> {
      const [last] = await readDeployments(db, 1);
      if (isFollowing) return;
      isFollowing = true;
      void follow(last?.defaultVersion ?? shipped, last?.shadowVersion ?? null).finally(() => {
        isFollowing = false;
      });
    },
  };
}
