/** As much of a state's id as is shown: enough to be told from any other. */
export function shortId(stateId: string): string {
  return stateId.slice(0, 12);
}
