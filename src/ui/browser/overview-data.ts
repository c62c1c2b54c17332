/** What the overview hands to its script. */
export interface OverviewData {
  /** How often to ask for it anew. */
  readonly everyMs: number;
}
