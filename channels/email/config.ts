// What an operator can set about a mailbox.
import { z } from "zod";

const seconds = (most: number, value: number) =>
  z.coerce.number().min(0.05).max(most).default(value);

/** `config set` gives one text for a key that only the channel knows. */
const listed = (given: unknown) =>
  typeof given === "string" ? given.split(/[\s,]+/).filter(Boolean) : given;

export const configSchema = z
  .object({
    address: z
      .string()
      .trim()
      .toLowerCase()
      .regex(/^[^\s@<>",;:\\()[\]]{1,64}@[a-z0-9.-]{3,253}$/, "an address like agent@example.org")
      .describe("The agent's address: what people write to, and answers come from"),
    name: z
      .string()
      .trim()
      .min(1)
      .max(60)
      .regex(/^[^\p{Cc}<>"@]+$/u, "a plain name")
      .optional()
      .describe(
        "What it is called in a mail program; a copy counts only when it is called by this name",
      ),
    imap: z
      .url({
        protocol: /^imaps?$/,
        error: "imaps://imap.example.org:993, or imap:// with STARTTLS",
      })
      .describe("Where mail is read: imaps://host:993, or imap://host:143 (STARTTLS)"),
    smtp: z
      .url({
        protocol: /^smtps?$/,
        error: "smtps://smtp.example.org:465, or smtp:// with STARTTLS",
      })
      .describe("Where mail is sent: smtps://host:465, or smtp://host:587 (STARTTLS)"),
    user: z
      .string()
      .min(1)
      .max(320)
      .optional()
      .describe("Name to sign in with; the address when not set"),
    password: z.string().min(1).max(10_000).optional(),
    tokenCommand: z
      .string()
      .min(1)
      .max(2000)
      .optional()
      .describe("Command that prints an OAuth2 access token, instead of a password"),
    ca: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe("File with certificates to trust, for servers of your own"),
    folder: z.string().min(1).max(255).default("INBOX").describe("The folder that is read"),
    dns: z
      .string()
      .regex(/^(?:[\d.]+|\[[\da-f:.]+\]):\d{1,5}$/i, "127.0.0.1:53 or [::1]:53")
      .optional()
      .describe("DNS server for keys and policies; the machine's own when not set"),
    arcSealers: z
      .preprocess(
        listed,
        z
          .array(z.string().regex(/^[a-z0-9.-]{3,253}$/))
          .max(50)
          .default([]),
      )
      .describe("Domains whose ARC seals are believed (a forwarder of yours)"),
    dkimDomain: z
      .string()
      .regex(/^[a-z0-9.-]{3,253}$/)
      .optional()
      .describe("Sign what goes out for this domain"),
    dkimSelector: z
      .string()
      .regex(/^[\w.-]{1,63}$/)
      .optional(),
    dkimKey: z.string().optional(),
    progress: z
      .enum(["on", "off"])
      .default("off")
      .describe("One further mail when a task takes longer than ten minutes"),
    pace: z
      .enum(["on", "off"])
      .default("on")
      .describe("At most 30 mails a minute (on), or as fast as it goes (off)"),
    idleSeconds: seconds(1500, 240).describe("How long one IDLE is held before it is renewed"),
    answerSeconds: seconds(600, 30).describe("How long the server may take to answer anything"),
    retrySeconds: z.coerce
      .number()
      .min(0.001)
      .max(600)
      .default(60)
      .describe(
        "After how long a mail is judged again whose DNS did not answer; doubling to 60 times as long",
      ),
    deafSeconds: seconds(3600, 600).describe(
      "After how long without a sign of life the mailbox counts as deaf",
    ),
  })
  .refine(({ password, tokenCommand }) => password || tokenCommand, {
    error: "the mailbox needs a password (sallyport secret set ID.password) or a tokenCommand",
  })
  .refine(
    ({ dkimDomain, dkimSelector, dkimKey }) =>
      !dkimDomain === !dkimSelector && !dkimDomain === !dkimKey,
    {
      error: "to sign mail, set dkimDomain, dkimSelector and the secret ID.dkimKey (PEM)",
    },
  );

export type EmailConfig = z.infer<typeof configSchema>;
