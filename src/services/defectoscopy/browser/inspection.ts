import type { Api } from '../../../ui/browser/api.ts';
import { type Errand, newErrand, run, type TaskState as State } from '../../../ui/browser/errand.ts';
import type { Heat } from '../../../ui/browser/heat.ts';

interface Scored {
  readonly name: string;
  readonly conf: number;
}

/** What `GET /result/{task_id}` answers. */
export interface TaskState extends State {
  readonly result?: {
    readonly surface: string;
    readonly masters: readonly Scored[];
    readonly defects: readonly Scored[];
  };
  readonly model_version?: string;
}

/** One photo of this visit, from the moment it was chosen. */
export interface Inspection extends Errand<TaskState> {
  /** The class whose map is shown; undefined for the bare photo. */
  shown: string | undefined;
  readonly heats: Map<string, Heat | undefined>;
}

export const newInspection = (file: File): Inspection => ({ ...newErrand(file), shown: undefined, heats: new Map() });

/** Takes a photo through the public API as any client would. */
export function inspect(it: Inspection, api: Api, changed: () => void): Promise<void> {
  return run(it, { api, path: 'predict', body: (url) => ({ image_url: url }) }, () => {
    if (it.stage === 'done') it.shown ??= it.state?.result?.defects[0]?.name;
    changed();
  });
}
