import type { Api } from '../../../ui/browser/api.ts';
import { type TaskState as BaseTaskState, type Errand, newErrand, run } from '../../../ui/browser/errand.ts';
import type { Heat } from '../../../ui/browser/heat.ts';

interface Scored {
  readonly name: string;
  readonly conf: number;
}

/** The response of `GET /result/{task_id}`. */
export interface TaskState extends BaseTaskState {
  readonly result?: {
    readonly surface: string;
    readonly masters: readonly Scored[];
    readonly defects: readonly Scored[];
  };
  readonly model_version?: string;
}

export interface Inspection extends Errand<TaskState> {
  /** The class whose heatmap is shown; undefined for none. */
  shown: string | undefined;
  readonly heats: Map<string, Heat | undefined>;
}

export const newInspection = (file: File): Inspection => ({ ...newErrand(file), shown: undefined, heats: new Map() });

export function inspect(job: Inspection, api: Api, onChange: () => void): Promise<void> {
  return run(job, { api, path: 'predict', body: (url) => ({ image_url: url }) }, () => {
    if (job.stage === 'done') job.shown ??= job.state?.result?.defects[0]?.name;
    onChange();
  });
}
