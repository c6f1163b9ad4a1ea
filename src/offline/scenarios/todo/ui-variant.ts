/** One way to build the UI of the app. */
export interface UiVariant {
  /** In whose style it is written; nothing is loaded from anywhere. */
  readonly framework: string;
  /** How, in half a sentence. */
  readonly approach: string;
  /** What it writes, by path. */
  readonly files: Readonly<Record<string, string>>;
}
