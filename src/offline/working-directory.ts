/** The working directory that the CLI told the model; undefined where a request tells none. A resumed one may be told anew. */
export function findWorkingDirectory(body: unknown): string | undefined {
  if (typeof body === "string") return lastTold(body);
  if (typeof body !== "object" || body === null) return undefined;
  for (const part of Object.values(body).toReversed()) {
    const found = findWorkingDirectory(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Of one that has changed the CLI also says what it was. */
function lastTold(text: string): string | undefined {
  const told = [...text.matchAll(/working directory: (.+)$/gim)].at(-1)?.[1];
  return told?.replace(/ \(was \/.*\)$/u, "").trim();
}
