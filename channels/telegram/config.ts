// What an operator can set about a Telegram bot.
import { z } from "zod";

export const publicApi = "https://api.telegram.org";

export const configSchema = z.object({
  token: z
    .string()
    .trim()
    .regex(/^\d{1,20}:[\w-]{20,}$/, "a bot's token looks like 123456789:AA…; @BotFather shows it")
    .describe("The token that @BotFather gave"),
  apiRoot: z
    .url({ protocol: /^https?$/, error: "an address like http://127.0.0.1:8081" })
    .transform((root) => root.replace(/\/+$/, ""))
    .default(publicApi)
    .describe("The Bot API server; for one of your own"),
  pace: z
    .enum(["on", "off"])
    .default("on")
    .describe("Keep to Telegram's published limits; off is for a server that has none"),
  pollSeconds: z.coerce
    .number()
    .min(0)
    .max(50)
    .default(30)
    .describe("How long a poll is held open; less for a proxy that cuts idle connections"),
  graceSeconds: z.coerce
    .number()
    .min(0.1)
    .max(60)
    .default(10)
    .describe("How much later than that a poll may answer before it is given up"),
  deafSeconds: z.coerce
    .number()
    .min(0.1)
    .max(3600)
    .default(300)
    .describe("After how long without an answered poll the bot counts as deaf"),
});

export type TelegramConfig = z.infer<typeof configSchema>;
