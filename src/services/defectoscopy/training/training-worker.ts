import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { Queryable, Statement } from '../../../base/db.ts';
import type { Log } from '../../../base/log.ts';
import { startThread } from '../../../base/worker-entry.ts';
import type { ModelDirectory } from '../../../ml/model-directory.ts';
import {
  claimTraining,
  endTraining,
  readTrainedFiles,
  readTrainingState,
  renewTraining,
  requeueTraining,
  type TrainingAttempt,
  type TrainingOutcome,
} from '../deployments/trainings.ts';
import { trainedModelsDir } from '../model/registry.ts';
import { installVersion } from './write.ts';

export interface ThreadTraining {
  readonly name: string;
  readonly dataDir: string;
  readonly shipped: string;
}

export type ThreadMessage =
  | { readonly sql: string | Statement; readonly params: readonly unknown[] }
  | { readonly progress: number }
  | { readonly line: string }
  | { readonly outcome: TrainingOutcome };

/** Until files that could not be installed are read again. */
const RETRY_MS = 60_000;

/** A thread that was ended by its worker or by a failed statement leaves the training to the next attempt. */
interface Run extends TrainingAttempt {
  readonly thread: Worker;
  progress: number;
  outcome?: TrainingOutcome;
}

/**
 * Claims trainings that reviewers requested, one at a time, and installs trained versions. A training computes for
 * seconds, in a thread; its files reach all workers through the database.
 */
export function createTrainingWorker(deps: {
  db: Queryable;
  models: ModelDirectory;
  dataDir: string;
  shipped: string;
  log: Log;
}) {
  const { db, models, dataDir, shipped, log } = deps;
  const worker = randomUUID();
  const root = trainedModelsDir(dataDir);
  const triedAt = new Map<string, number>();
  const installs = new Map<string, Promise<boolean>>();
  let run: Run | undefined;

  const start = (attempt: TrainingAttempt): Run => {
    const workerData: ThreadTraining = { name: attempt.version, dataDir, shipped };
    const thread = startThread('./training-thread', import.meta.url, { workerData });
    const started: Run = { ...attempt, thread, progress: 0 };
    thread.on('message', (message: ThreadMessage) => {
      if ('progress' in message) started.progress = message.progress;
      if ('line' in message) log.info({ version: attempt.version }, message.line);
      if ('outcome' in message) started.outcome = message.outcome;
      if ('sql' in message)
        db.query(message.sql, message.params).then(
          (result) => thread.postMessage(result),
          (err) => {
            log.warn({ err }, 'the training could not read the corrections and will be tried again');
            stop(started);
          },
        );
    });
    thread.on('error', (err) => log.error({ err, version: attempt.version }, 'the training failed'));
    thread.on('exit', () => {
      const message = 'The training failed; the log of the worker has the reason.';
      started.outcome ??= { failure: { code: 'TRAINING_FAILED', message } };
    });
    log.info({ version: attempt.version, attempt: attempt.attempts }, 'training started');
    return started;
  };

  const stop = (stopped: Run) => {
    // A failed statement of an earlier run must not end the next one.
    if (run === stopped) run = undefined;
    void stopped.thread.terminate();
  };

  const installStored = async (version: string): Promise<boolean> => {
    if (performance.now() - (triedAt.get(version) ?? Number.NEGATIVE_INFINITY) < RETRY_MS) return false;
    const files = await readTrainedFiles(db, version);
    if (!files) return false;
    triedAt.set(version, performance.now());
    await installVersion(root, version, files).catch(async (error) => {
      // Another worker of this machine may have been faster.
      if (!(await stat(join(root, version)).catch(() => undefined))) throw error;
    });
    await models.refresh();
    log.info({ version }, 'installed the trained version');
    return true;
  };

  /** False if the database has no files of the version, or if they could not be installed a moment ago. */
  const install = (version: string): Promise<boolean> => {
    const running = installs.get(version) ?? installStored(version).finally(() => installs.delete(version));
    installs.set(version, running);
    return running;
  };

  return {
    install,
    /** Before each heartbeat. */
    async refresh(): Promise<void> {
      // A failed statement may stop it while the database responds.
      const current = run;
      if (current?.outcome) {
        await endTraining(db, worker, current, current.outcome);
        stop(current);
      } else if (current && !(await renewTraining(db, worker, current, current.progress))) stop(current);
      const { isWaiting, newest } = await readTrainingState(db);
      if (isWaiting && !run) {
        const attempt = await claimTraining(db, worker);
        if (attempt) run = start(attempt);
      }
      if (newest !== null && !models.versions().some(({ version }) => version === newest)) await install(newest);
    },
    async close(): Promise<void> {
      if (!run) return;
      const stopped = run;
      stop(stopped);
      await requeueTraining(db, worker, stopped);
    },
  };
}
