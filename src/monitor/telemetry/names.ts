/** The names of OpenTelemetry's conventions for generative AI, as of 1.45.0, in one place: every one of them is still under development. */
export const GEN_AI = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  conversationId: "gen_ai.conversation.id",
  agentName: "gen_ai.agent.name",
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  responseId: "gen_ai.response.id",
  finishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheCreationTokens: "gen_ai.usage.cache_creation.input_tokens",
  tokenType: "gen_ai.token.type",
  toolName: "gen_ai.tool.name",
  toolType: "gen_ai.tool.type",
  toolCallId: "gen_ai.tool.call.id",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  evaluationName: "gen_ai.evaluation.name",
  evaluationValue: "gen_ai.evaluation.score.value",
  errorType: "error.type",
} as const;

/** What the conventions have no word for. */
export const SKEIN = {
  costUsd: "skein.cost_usd",
  isLowerBound: "skein.cost_is_lower_bound",
  offline: "skein.offline",
  responses: "skein.responses",
  stateBefore: "skein.state.before",
  stateAfter: "skein.state.after",
} as const;

/** Whose API the agents speak to. */
export const PROVIDER = "anthropic";

/** The name by which this library's spans and instruments are told from others. */
export const SCOPE = "skein";
