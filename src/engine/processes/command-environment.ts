import { buildEnvironment, type Environment } from "../start-up/environment.ts";

/** What the agent's own process is given to reach its model. */
const CREDENTIALS = /^(?:ANTHROPIC|CLAUDE|AWS|GOOGLE|CLOUD_ML|VERTEX|AZURE)_/;

/**
 * The variables that a command beside an agent gets: of the host's what an agent gets too, without the keys, and what the caller adds.
 * It runs what the agent wrote, which has no business with them.
 */
export function commandEnvironment(host: Environment, added: Environment): Environment {
  const plain = Object.entries(buildEnvironment(host)).filter(([name]) => !CREDENTIALS.test(name));
  return { ...Object.fromEntries(plain), ...added };
}
