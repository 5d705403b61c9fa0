// What an operator can set about a Slack app.
import { z } from "zod";

export const publicApi = "https://slack.com/api";

export const configSchema = z
  .object({
    token: z
      .string()
      .trim()
      .regex(/^xoxb-[\w-]{10,}$/, "a bot's token looks like xoxb-…; see OAuth & Permissions")
      .describe("The bot token (OAuth & Permissions)"),
    appToken: z
      .string()
      .trim()
      .regex(/^xapp-[\w-]{10,}$/, "an app-level token looks like xapp-…; see Basic Information")
      .optional()
      .describe("The app-level token of Socket Mode; without it events come by HTTP"),
    signingSecret: z
      .string()
      .trim()
      .regex(/^[\w-]{16,}$/, "a signing secret is 32 letters and digits; see Basic Information")
      .optional()
      .describe("What Slack signs its requests with; needed in HTTP mode only"),
    replies: z
      .enum(["thread", "channel"])
      .default("thread")
      .describe("Where a mention at the top of a channel is answered"),
    apiRoot: z
      .url({ protocol: /^https?$/, error: "an address like http://127.0.0.1:8083/api" })
      .transform((root) => root.replace(/\/+$/, ""))
      .default(publicApi)
      .describe("The Web API; for another than Slack's own"),
    pace: z
      .enum(["on", "off"])
      .default("on")
      .describe("Keep to Slack's published limits; off is for a server that has none"),
    pingSeconds: z.coerce
      .number()
      .min(0.05)
      .max(60)
      .default(5)
      .describe("How long a socket may leave a ping unanswered"),
    checkSeconds: z.coerce
      .number()
      .min(0.1)
      .max(3600)
      .default(60)
      .describe("How often Slack is asked whether the token still counts"),
    deafSeconds: z.coerce
      .number()
      .min(0.1)
      .max(3600)
      .default(300)
      .describe("After how long without a sign of life from Slack the app counts as deaf"),
  })
  .refine(({ appToken, signingSecret }) => appToken || signingSecret, {
    message:
      "Slack needs an app-level token (Socket Mode) or a signing secret (HTTP mode) beside the bot's token",
  });

export type SlackConfig = z.infer<typeof configSchema>;
