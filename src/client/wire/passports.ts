// Generated from the schemas of src/services by wire.test.ts; `npx vitest run src/client/wire.test.ts -u` updates it.

export interface DocumentItem {
  readonly id: string;
  /** The display name. */
  readonly filename: string;
  readonly status: 'PENDING' | 'PROCESSING' | 'SUCCESS' | 'FAILED' | 'ERROR' | 'PERMANENT_ERROR';
  /** Whether the result is cached: the same file was processed before. */
  readonly cached: boolean;
  readonly created_at: string | null;
  readonly error_type: string | null;
}

export interface DocumentList {
  readonly items: readonly DocumentItem[];
  /** Number of tasks that match the filter. */
  readonly total: number;
  readonly page: number;
  readonly limit: number;
}

export interface DocumentStatus {
  readonly status: 'PENDING' | 'PROCESSING' | 'SUCCESS' | 'FAILED' | 'ERROR' | 'PERMANENT_ERROR';
  readonly id: string;
  readonly error_type: string | null;
  /** ISO 8601, UTC. */
  readonly updated_at: string;
  readonly progress?: number;
}

export interface DocumentField {
  readonly value: string | number | boolean | null;
  readonly type: string;
  readonly label: string;
  readonly confidence: number | null;
  readonly source: string | null;
  readonly original_value: string | number | boolean | null;
  readonly page: number | null;
  readonly bbox: readonly number[] | null;
  readonly edited_at: string | null;
}

export interface DocumentResult {
  readonly id: string;
  readonly filename?: string;
  readonly status: 'PENDING' | 'PROCESSING' | 'SUCCESS' | 'FAILED' | 'ERROR' | 'PERMANENT_ERROR';
  readonly cached?: boolean;
  readonly created_at?: string | null;
  /** ISO 8601, UTC. */
  readonly updated_at?: string;
  /** Increases with each edit; use it as `If-Match` of an update. */
  readonly version?: number;
  readonly error_type?: string | null;
  readonly error?: string | null;
  readonly schema?: {
    readonly id: string;
    readonly version: string;
  };
  readonly data?: Readonly<Record<string, unknown>> | null;
  /** Keys as in the update form: `section:field`. */
  readonly fields?: {
    readonly [key: string]: DocumentField;
  };
  readonly pages?: number;
  readonly sheets?: readonly {
    readonly page: number;
    /** In points, as the PDF shows the page. */
    readonly width: number;
    readonly height: number;
    /** Clockwise rotation in degrees that makes the content upright. */
    readonly turn: number;
    /** `text`, or the OCR engine with its languages. */
    readonly reader: string;
    readonly picture: string | null;
  }[];
  readonly engine?: Readonly<Record<string, unknown>>;
  readonly warnings?: readonly {
    readonly code: string;
    readonly message: string;
    readonly fields?: readonly string[];
  }[];
}

export interface DocumentRejected {
  readonly filename: string;
  readonly error: {
    readonly code: string;
    readonly message: string;
  };
}

export interface DocumentsUploaded {
  readonly items: readonly DocumentItem[];
  readonly total: number;
  readonly rejected: readonly DocumentRejected[];
}

export interface PageImage {
  readonly image_id: string;
  readonly filename: string;
  /** After EXIF orientation and rotation. */
  readonly width: number;
  readonly height: number;
  readonly size_bytes: number;
  readonly content_type: string;
  /** 0, 90, 180 or 270 degrees clockwise. */
  readonly rotation: number;
}

export interface PageImagesUploaded {
  readonly images: readonly PageImage[];
  readonly image_ids: readonly string[];
  readonly rejected: readonly DocumentRejected[];
}

export interface PageImages {
  readonly images: readonly PageImage[];
  readonly image_ids: readonly string[];
}

export interface PageImageRotated {
  readonly image_id: string;
  readonly rotation: number;
  readonly width: number;
  readonly height: number;
}

export interface PdfCreated {
  readonly task_id: string;
  readonly status: 'PENDING' | 'SUCCESS';
}

export interface DocumentUpdated {
  readonly status: 'ok';
  readonly id: string;
  readonly version?: number;
}

export interface EditHistory {
  readonly items: readonly {
    /** ISO 8601, UTC. */
    readonly at: string;
    readonly actor: string;
    readonly field: string;
    readonly from: string | number | boolean | null;
    readonly to: string | number | boolean | null;
  }[];
}

export interface CleanupResult {
  readonly status: 'success';
  readonly deleted_tasks: number;
  readonly deleted_files: number;
  readonly dry_run?: boolean;
}

export interface DeepHealth {
  readonly ok: boolean;
  readonly data: {
    /** `ok` if the database answers. */
    readonly database: string;
    /** 0: queued tasks are not processed. */
    readonly workers_online: number;
    readonly version: string;
    readonly llm_status: 'ok' | 'error' | 'unconfigured';
    readonly llm_provider: string;
    readonly llm_error: string | null;
  } | null;
  readonly error: {
    readonly code: string;
    readonly message: string;
  } | null;
}

export interface FailedStatistics {
  readonly window_seconds: number;
  /** ISO 8601, UTC. */
  readonly since: string;
  /** Tasks that ended in the window. */
  readonly total_tasks: number;
  readonly failed_total: number;
  readonly failure_rate: number;
  readonly by_status: {
    readonly [key: string]: number;
  };
  readonly by_error_type: {
    readonly [key: string]: number;
  };
  readonly recent: readonly {
    readonly id: string;
    readonly status: 'PENDING' | 'PROCESSING' | 'SUCCESS' | 'FAILED' | 'ERROR' | 'PERMANENT_ERROR';
    readonly error_type: string;
    /** ISO 8601, UTC. */
    readonly failed_at: string;
  }[];
}

export interface PassportsToken {
  /** A JWT for `Authorization: Bearer`. */
  readonly token: string;
  /** Seconds. */
  readonly expires_in: number;
}
