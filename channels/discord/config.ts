// What an operator can set about a Discord bot.
import { z } from "zod";

export const publicApi = "https://discord.com";

export const configSchema = z.object({
  token: z
    .string()
    .trim()
    .regex(
      /^[\w-]+\.[\w-]+\.[\w-]+$/,
      "a bot's token has three parts with dots between them; the Bot page of the Developer Portal shows it once",
    )
    .describe("The token of the Bot page in the Developer Portal"),
  apiRoot: z
    .url({ protocol: /^https?$/, error: "an address like http://127.0.0.1:8082" })
    .refine((root) => root.startsWith("https:") || isLoopback(root), {
      error: "http is for a server on this machine; anywhere else it has to be https",
    })
    .transform((root) => root.replace(/\/+$/, "").replace(/\/api$/, ""))
    .default(publicApi)
    .describe("The server of the API; for one of your own"),
  pace: z
    .enum(["on", "off"])
    .default("on")
    .describe("Keep to Discord's limits; off is for a server that has none"),
  allowBots: z
    .union([z.boolean(), z.stringbool()])
    .default(false)
    .describe(
      "Hear other bots and webhooks too; five exchanges without a person in between end it",
    ),
  deafSeconds: z.coerce
    .number()
    .min(0.1)
    .max(3600)
    .default(180)
    .describe("After how long without a sign of life the bot counts as deaf"),
});

export type DiscordConfig = z.infer<typeof configSchema>;

export function isLoopback(address: string): boolean {
  return /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(new URL(address).hostname);
}
