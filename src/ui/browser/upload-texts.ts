export interface UploadTexts {
  readonly service: string;
  readonly title: string;
  readonly heading: string;
  readonly lead: string;
  readonly drop: {
    readonly title: string;
    /** Replaces the title on touch devices. */
    readonly tap: string;
    /** Replaces the title after the first file. */
    readonly more: string;
    readonly or: string;
    readonly choose: string;
    readonly camera?: string;
    readonly example: string;
    readonly limits: string;
  };
  /** Shown in place of the workspace. */
  readonly uploadsDisabled: string;
  readonly unconfigured: string;
  readonly stepsTitle: string;
  readonly steps: readonly string[];
  readonly model: Readonly<Record<'warm' | 'busy' | 'cold' | 'unknown' | 'down' | 'offline', string>>;
  readonly tooLarge: string;
  readonly empty: string;
  readonly unsupported: string;
  readonly waiting: string;
  readonly estimate: string;
  readonly estimateCold: string;
  readonly cancel: string;
  readonly cancelled: string;
  readonly failed: string;
  readonly code: string;
  readonly sessionUploads: string;
  readonly announcements: { readonly waiting: string; readonly done: string; readonly failed: string };
  /** Messages by error code; other codes use the message of the response. */
  readonly failures: Readonly<Record<string, string>>;
}

export interface UploadPageData<Texts extends UploadTexts> {
  readonly texts: Texts;
  readonly needsToken: boolean;
  readonly maxBytes: number;
  /** Absent if the package has no example files. */
  readonly exampleUrl?: string;
}
