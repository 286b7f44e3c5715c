/** Models and their providers. */
import { LEAST_WINDOW } from "../../../actors/job/model-entry.ts";
import { DEFAULT_MODEL_RETRIES, DEFAULT_RESULT_BYTES, STALLED_STREAM_MS } from "../../../actors/job/limits.ts";
import { flag, group, key, list, optionalSetting, wholeNumber } from "../setting.ts";

const MODELS_ALLOWED = "models as provider:name, separated by commas";

export const MODELS = group("Models", {
  model: optionalSetting("MODEL", "word", {
    allowed: "a model as provider:name, without spaces",
    about:
      "The default model: `PROVIDER:NAME` of `MODEL_PROVIDERS`, `anthropic:NAME`, `openai:NAME`, `openai-compatible:NAME`, `ai-sdk:PACKAGE:NAME`, `demo:echo`, or `auto` for the first local server that is found.",
    otherwise:
      "the first model of `MODEL_PROVIDERS`, else by the key that is set; with `OPENAI_BASE_URL` alone, the only model of that server",
  }),
  modelProviders: optionalSetting("MODEL_PROVIDERS", "path", {
    allowed: "a JSON file with providers of models",
    about:
      "A file with [providers of models](operations.md#providers-of-models): for each its address, its key, and the models that it allows. Models are then `PROVIDER:NAME`.",
  }),
  models: list("MODELS", "word", {
    allowed: MODELS_ALLOWED,
    about: "Further models that agents and chats may name. `GET /api/models` lists all.",
  }),
  ownKeyModels: list("OWN_KEY_MODELS", "word", {
    allowed: MODELS_ALLOWED,
    about: "Models for organizations that have a key of their own. They are never called with yours.",
  }),
  modelFallbacks: list("MODEL_FALLBACKS", "word", {
    allowed: MODELS_ALLOWED,
    about: "Models that take over, in this order, if the model of a job is unavailable.",
  }),
  modelWindows: list("MODEL_WINDOWS", "model-window", {
    allowed: `entries provider:name=tokens, separated by commas, of at least ${LEAST_WINDOW} tokens`,
    about: "Context windows in tokens, such as `openai-compatible:qwen3=40960`. Longer conversations are compacted.",
    otherwise: "known by the model",
  }),
  modelInputs: list("MODEL_INPUTS", "model-input", {
    allowed: "entries provider:name=text, =text+image, =text+file or =text+image+file, separated by commas",
    about: "What models read, such as `openai-compatible:llava=text+image`. `file` is PDF.",
    otherwise: "known by the model",
  }),
  modelThinking: list("MODEL_THINKING", "model-thinking", {
    allowed: "entries provider:name=tags, =open or =off, separated by commas",
    about:
      "Where models of OpenAI-compatible servers write their reasoning, such as `openai-compatible:qwq=open`. `tags`: the text may begin with `<think>…</think>`. `open`: it begins within the reasoning and has only the end tag. `off`: all of the text is the answer.",
    otherwise: "`tags`",
  }),
  modelsWithoutTools: list("MODELS_WITHOUT_TOOLS", "word", {
    allowed: MODELS_ALLOWED,
    about: "Models that are called without tools.",
    otherwise: "those that have refused tools",
  }),
  modelRetries: wholeNumber("MODEL_RETRIES", DEFAULT_MODEL_RETRIES, [0, 100], {
    about: "Retries of a model call that fails temporarily. Six take about a minute.",
  }),
  stalledStreamSeconds: wholeNumber("STALLED_STREAM_SECONDS", STALLED_STREAM_MS / 1_000, [1, 3_600], {
    allowed: "a whole number of seconds from 1 to 3600",
    about: "A model call fails if its stream is silent for this long.",
  }),
  toolResultKib: wholeNumber("TOOL_RESULT_KIB", DEFAULT_RESULT_BYTES / 1_024, [1, 1_024], {
    allowed: "a whole number of KiB from 1 to 1024",
    about: "The longest tool result that a model is sent, in KiB.",
  }),
  anthropicApiKey: key("ANTHROPIC_API_KEY", { about: "The key for Anthropic." }),
  openaiApiKey: key("OPENAI_API_KEY", { about: "The key for OpenAI, or for the server at `OPENAI_BASE_URL`." }),
  openaiBaseUrl: optionalSetting("OPENAI_BASE_URL", "http-url", {
    allowed: "an http or https URL such as http://localhost:11434/v1",
    about: "The address of an OpenAI-compatible server.",
    otherwise: "OpenAI's own",
  }),
  modelPrices: optionalSetting("MODEL_PRICES", "path", {
    allowed: "a file with the prices of models",
    about:
      "A file with the prices of models. Jobs then report their [cost](operations.md#what-models-cost) beside their tokens.",
  }),
  allowDemoModel: flag("ALLOW_DEMO_MODEL", { about: "Allows the demo model in production." }),
});
