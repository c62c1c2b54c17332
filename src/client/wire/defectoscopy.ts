// Generated from the schemas of src/services by wire.test.ts; `npx vitest run src/client/wire.test.ts -u` updates it.

export interface PredictRequest {
  /** https URL of the image on an allowed storage host. */
  readonly image_url: string;
  /** batch tasks run after realtime tasks and wait longer before a cold worker is started. */
  readonly priority?: 'realtime' | 'batch';
  /** Called when the final result is stored. https; http only for localhost, 127.0.0.1 and [::1]. */
  readonly webhook_url?: string;
  /** An installed model version other than the default. */
  readonly model_version?: string;
}

export interface PhotoAccepted {
  readonly task_id: string;
  readonly status: 'queued';
  /** Relative to the base URL. */
  readonly status_url: string;
  /** Recommended seconds until the first poll; not a guarantee. */
  readonly estimated_wait_seconds: number;
}

export interface ScoredClass {
  readonly name: string;
  readonly conf: number;
}

export interface Classification {
  readonly surface: string;
  /** All groups with their confidences, which sum to 1. */
  readonly masters: readonly ScoredClass[];
  /** Classes that reach the model's threshold; empty if no defects were found. */
  readonly defects: readonly ScoredClass[];
}

export interface PhotoWebhook {
  readonly configured: boolean;
  /** pending, delivered or failed. */
  readonly state: string;
  readonly attempts: number;
  readonly response_status_code?: number;
  readonly delivery_id?: string;
  /** Unix time in whole seconds. */
  readonly last_attempt_at?: string;
  /** Unix time in whole seconds. */
  readonly next_attempt_at?: string;
  /** Unix time in whole seconds. */
  readonly delivered_at?: string;
  readonly last_error?: string;
}

export interface PhotoState {
  readonly task_id: string;
  readonly status: 'queued' | 'processing' | 'done' | 'failed';
  /** Human-readable status of an unfinished task. */
  readonly message?: string;
  readonly result?: Classification;
  readonly processing_time_ms?: number;
  /** Unix time in whole seconds. */
  readonly completed_at?: string;
  readonly model_version?: string;
  /** Human-readable error of a failed task. */
  readonly error?: string;
  /** Machine-readable error of a failed task. */
  readonly error_code?: string;
  readonly webhook?: PhotoWebhook;
}

export interface Heatmap {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** Row by row over the upright image, width × height values. */
  readonly values: readonly number[];
}

export interface DefectoscopyHealth {
  readonly model_loaded: boolean;
  readonly worker_id: string;
  readonly model_version: string;
  readonly gpu: {
    readonly name: string;
    readonly vram_used_mb: number;
    readonly vram_total_mb: number;
  };
}
