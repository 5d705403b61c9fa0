// Whose API it is: where its maker serves it, and the usual name of the key for it.
import type { ModelApi } from "../../core/egress.ts";

export interface Maker {
  readonly url: string;
  /** Of the secret, when the settings name no other. */
  readonly secret: string;
}

export const makers: Readonly<Record<ModelApi, Maker>> = {
  anthropic: { url: "https://api.anthropic.com", secret: "ANTHROPIC_API_KEY" },
  openai: { url: "https://api.openai.com", secret: "OPENAI_API_KEY" },
  gemini: { url: "https://generativelanguage.googleapis.com", secret: "GEMINI_API_KEY" },
};
