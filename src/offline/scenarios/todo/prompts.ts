/** "Build a TODO app", "make me a to-do list program". */
export const ASKS_FOR_APP =
  /\b(?:build|make|create|write|develop|implement|generate|start|set up|need|want|give)\s+(?:(?!(?:for|of|in|to)\b)[\w'-]+\s+){0,5}(?:to-?do\b|to do (?:app|list|program|manager|tool))/i;

/** "Add tests", "write some unit tests for it", "cover it with tests". */
export const ASKS_FOR_TESTS =
  /\b(?:add|write|create|make|cover|include|implement)\s+(?:[\w'-]+\s+){0,4}tests?\b|^\s*test\b/i;

/** "Add a feature: due dates", "support deadlines", and a feature that is left to the model. */
export const ASKS_FOR_DUE_DATES =
  /\b(?:add|support|implement|introduce|include|give|allow)\b(?:(?!\btests?\b)[^.?!\n])*\b(?:due[\s-]?dates?|deadlines?)\b|\badd (?:a|another|some) (?:\w+ )?feature[.!\s]*$/i;

const ASKS_FOR_UI =
  /\b(?:build|make|create|write|develop|implement|design|add)\s+(?:(?!(?:with|using|tests?)\b)[\w'-]+\s+){0,5}(?:ui|interface|front-?end)\b/i;

/** "Build the UI", and where a framework is given, only with its name: "Build the UI with Vue". */
export function asksForUi(framework = /(?:)/): (prompt: string) => boolean {
  return (prompt) => ASKS_FOR_UI.test(prompt) && framework.test(prompt);
}
