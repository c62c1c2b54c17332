/** The files that a service processes. */
export interface FileType {
  readonly maxBytes: number;
  /** Undefined if the service does not support the media type. */
  readonly sniff: (head: Buffer) => string | undefined;
  /** For error messages. */
  readonly expected: string;
}
