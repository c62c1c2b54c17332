/** What a page says where a person gives it files and follows each until it is done, whatever the files are. */
export interface ErrandTexts {
  readonly service: string;
  readonly title: string;
  readonly heading: string;
  readonly lead: string;
  readonly drop: {
    readonly title: string;
    /** In place of the title where nobody drops anything. */
    readonly tap: string;
    /** In its place once there is a file. */
    readonly more: string;
    readonly or: string;
    readonly choose: string;
    readonly camera?: string;
    readonly example: string;
    readonly limits: string;
  };
  /** Why the page can send nothing: this server takes no files, or answers nobody. */
  readonly off: string;
  readonly unconfigured: string;
  readonly stepsTitle: string;
  readonly steps: readonly string[];
  readonly model: Readonly<Record<'warm' | 'busy' | 'cold' | 'unknown' | 'down' | 'offline', string>>;
  /** Why a file is not taken. */
  readonly tooLarge: string;
  readonly empty: string;
  readonly unfit: string;
  readonly waiting: string;
  readonly estimate: string;
  readonly estimateCold: string;
  readonly cancel: string;
  readonly cancelled: string;
  readonly failed: string;
  readonly code: string;
  readonly visit: string;
  readonly said: { readonly waiting: string; readonly done: string; readonly failed: string };
  /** The service's sentences by code; where there is none, the sentence that came. */
  readonly failures: Readonly<Record<string, string>>;
}

/** What the server tells the script of such a page. */
export interface ErrandPage<Texts extends ErrandTexts> {
  readonly texts: Texts;
  readonly needsToken: boolean;
  readonly maxBytes: number;
  /** Absent where the package came without its examples. */
  readonly exampleUrl?: string;
}
