/** What a command does to the world: told to models and programs, so that they, or who watches over them, know before they call it. */
export interface CommandEffects {
  /** What becomes of what is there: it is only looked at, something is added, or something is replaced or removed. */
  readonly changes: "nothing" | "adds" | "replaces";
  /** Whether a second call with the same arguments changes nothing more. */
  readonly isRepeatable: boolean;
  /** How far it reaches: the workspace and its records, this machine, or other machines, the API's among them. */
  readonly reaches: "workspace" | "machine" | "world";
}
