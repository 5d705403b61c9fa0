// The operator's settings: the one schema that names, describes and bounds every key.
import { z } from "zod";
import { isSuffix } from "../core/mail-list.ts";

const toolKinds = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
] as const;

export const channelKinds = ["telegram", "discord", "slack", "email"] as const;

export const secretKeys = ["token", "appToken", "signingSecret", "password", "dkimKey"] as const;

type SecretKey = (typeof secretKeys)[number];

interface ChannelSecrets {
  /** Of each group one. */
  readonly needs: readonly (readonly SecretKey[])[];
  readonly may: readonly SecretKey[];
}

/** What is secret of a channel, by the key of its config. */
export const channelSecrets: Readonly<Record<(typeof channelKinds)[number], ChannelSecrets>> = {
  telegram: { needs: [["token"]], may: [] },
  discord: { needs: [["token"]], may: [] },
  slack: { needs: [["token"], ["appToken", "signingSecret"]], may: [] },
  // A command may give tokens instead of the password.
  email: { needs: [], may: ["password", "dkimKey"] },
};

/** How an account looks there: `/whoami` shows one's own. */
export const accountForms = {
  telegram: /^\d{1,20}$/,
  discord: /^\d{1,20}$/,
  slack: /^[TE][A-Z0-9]{1,30}:[UW][A-Z0-9]{1,30}$/,
  email:
    /^[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,64})*@(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}$/,
} as const satisfies Record<(typeof channelKinds)[number], RegExp>;

/** The terminal, the page and the endpoint of other agents are not set up as channels. */
export const channelId = z
  .string()
  .regex(/^(?!(?:terminal|web|a2a|local)$)[a-z][a-z0-9-]{0,31}$/, "1 to 32 of a-z, 0-9 and -");

const count = (value: number, description: string) =>
  z.int().min(0).max(100_000).default(value).describe(description);
const some = (value: number, description: string) =>
  z.int().min(1).max(1000).default(value).describe(description);
const tokens = (value: number, description: string) =>
  z.int().min(0).max(1_000_000_000).default(value).describe(description);
const names = (description: string) =>
  z.array(z.string().min(1).max(255)).default([]).describe(description);
const kinds = (description: string) => z.array(z.enum(toolKinds)).default([]).describe(description);

/** What every channel has; the channel itself checks the rest. */
const channel = z.looseObject({
  kind: z.enum(channelKinds).describe("Kind of chat app"),
  apiRoot: z.url().optional().describe("Base URL of the platform's API, for a server of your own"),
  pace: z
    .enum(["on", "off"])
    .optional()
    .describe("Keep to the platform's published limits (on), or send as fast as it takes (off)"),
});

const allowedAddress =
  /^(?:[\w!#$%&'+/=?^`{|}~.-]{1,64}@|\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,62})\.)+[a-z0-9-]{2,63}$/i;
const allowedHost = /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]{0,252})(?::[1-9]\d{0,4})?$/i;
const variable = /^[A-Za-z_]\w{0,99}=/;

const dockerSettings = z.strictObject({
  image: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe("Image of the sandbox; one made of this machine's own files when not set"),
  memoryMB: z.int().min(64).max(1_000_000).default(4096).describe("Memory of one sandbox"),
  cpus: z.number().min(0.1).max(1000).default(2).describe("Processors of one sandbox"),
  processes: z.int().min(16).max(100_000).default(512).describe("Processes of one sandbox"),
  containers: some(4, "Sandboxes at once in this gateway; the next one waits for its place"),
  runtime: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .optional()
    .describe("Runtime of the containers, e.g. runsc (gVisor)"),
  mounts: z
    .array(z.string().regex(/^\/[^:]*(?::ro)?$/, "a folder as /path or /path:ro"))
    .max(50)
    .default([])
    .describe("Further folders that the agent sees: /path, or /path:ro for reading only"),
  workspace: z
    .enum(["rw", "ro"])
    .default("rw")
    .describe("Whether the agent may change the workspace (rw) or only look at it (ro)"),
  env: z
    .array(z.string().max(10_000).regex(variable, "NAME=value"))
    .max(200)
    .default([])
    .describe(
      "Variables of the agent's environment, as NAME=value; for secrets there is docker.secrets",
    ),
  secrets: z
    .array(z.string().regex(/^[A-Za-z_]\w{0,63}$/))
    .max(50)
    .default([])
    .describe("Secrets put into the agent's environment by their name: risky"),
});

export const settingsSchema = z.strictObject({
  access: z
    .strictObject({
      public: z
        .enum(["nobody", "anyone"])
        .default("nobody")
        .describe("Who may talk to the agent without a pairing, in direct chats"),
      allowEmail: z
        .array(
          z
            .string()
            .max(320)
            .regex(allowedAddress, "a@example.org, example.org or *.example.org, in ASCII")
            .refine((entry) => !isSuffix(entry), {
              error: ({ input }) =>
                `an address, or a domain with one owner: anybody can register a name below ${String(input).replace("*.", "")}`,
            }),
        )
        .max(1000)
        .default([])
        .describe("Whose proved mail is let in: an address, a domain, *. for its subdomains"),
    })
    .prefault({}),
  budgets: z
    .strictObject({
      listener: z
        .strictObject({
          tasksPerHour: count(20, "Tasks an hour of all unpaired callers of one listener"),
          concurrent: count(2, "Tasks at once of all unpaired callers of one listener"),
        })
        .prefault({}),
      caller: z
        .strictObject({ tasksPerHour: count(5, "Tasks an hour of one unpaired caller") })
        .prefault({}),
      tokens: z
        .strictObject({
          task: tokens(0, "Tokens of the model that one task may use; 0: no limit"),
          caller: tokens(0, "Tokens that one paired person may use in a day; 0: no limit"),
          unpaired: tokens(200_000, "Tokens that all unpaired callers may use in a day together"),
        })
        .prefault({}),
    })
    .prefault({}),
  turns: z
    .strictObject({ concurrent: some(4, "Turns at once in this gateway; the rest wait") })
    .prefault({}),
  conversations: z
    .strictObject({
      merge: z
        .boolean()
        .default(true)
        .describe("Messages that arrive while a turn runs become the next turn together"),
    })
    .prefault({}),
  approvals: z
    .strictObject({ auto: kinds("Kinds of tool call that run without being asked about: risky") })
    .prefault({}),
  denyTools: z
    .strictObject({
      kinds: kinds("Kinds of tool call that never run"),
      commands: z
        .array(z.string().min(1).max(500))
        .default([])
        .describe("Commands that never run; * stands for anything"),
    })
    .prefault({}),
  agent: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/, "the name of an agent, e.g. workspace, claude, codex")
    .optional()
    .describe("The agent that works: workspace (built in), claude, codex, opencode, gemini"),
  command: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .describe("Command line of any other agent that speaks ACP; wins over agent"),
  model: z
    .strictObject({
      api: z
        .enum(["anthropic", "openai", "gemini"])
        .optional()
        .describe("How the model's API is spoken; the agent's own when not set"),
      url: z
        .url({ protocol: /^https?$/, hostname: /./ })
        .optional()
        .describe("Base URL of the model's API; its maker's own when not set"),
      name: z.string().min(1).max(200).optional().describe("The model that the agent uses"),
      secret: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .describe(
          "The secret that holds the model's key; ANTHROPIC_API_KEY and the like when not set",
        ),
    })
    .prefault({}),
  sandbox: z
    .enum(["docker", "local"])
    .optional()
    .describe(
      "What the agent runs in, from the next start: docker, unless in the playground; local isolates nothing",
    ),
  docker: dockerSettings.prefault({}),
  egress: z
    .strictObject({
      allow: z
        .array(z.string().regex(allowedHost, "host, *.host or host:port"))
        .default([])
        .describe(
          "Hosts that every sandbox may reach, besides the model: example.org, *.example.org, example.org:8443",
        ),
    })
    .prefault({}),
  homes: z
    .strictObject({
      maxMB: z
        .int()
        .min(10)
        .max(1_000_000)
        .default(2048)
        .describe("How large the home of one sandbox may get"),
    })
    .prefault({}),
  http: z
    .strictObject({
      host: z
        .string()
        .min(1)
        .max(255)
        .default("127.0.0.1")
        .describe("Address that the page is served on"),
      port: z
        .int()
        .min(0)
        .max(65_535)
        .optional()
        .describe(
          "Its port; 7420 or, if that is taken, any free one when not set; 0: any free one",
        ),
      publicUrl: z
        .url({ protocol: /^https?$/, hostname: /./ })
        .optional()
        .describe("How others reach it, through a reverse proxy with TLS: https://…"),
      hosts: names("Further host names that it answers to"),
      origins: z
        .array(z.url({ protocol: /^https?$/ }))
        .default([])
        .describe("Further sites whose pages may act here, as scheme://host:port"),
      trustedProxies: names(
        "Addresses or networks of proxies whose word on the caller's address counts",
      ),
      useEnvProxy: z
        .boolean()
        .default(false)
        .describe(
          "Requests to platforms go through the proxy of the environment (https_proxy, no_proxy); for a channel that is open, from its next opening",
        ),
    })
    .prefault({}),
  retention: z
    .strictObject({
      days: z
        .int()
        .min(1)
        .max(3650)
        .default(90)
        .describe("How long events, tasks, audit and files are kept"),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: z.enum(["debug", "info", "warn", "error"]).default("info").describe("What is logged"),
    })
    .prefault({}),
  channels: z
    .record(channelId, channel)
    .default({})
    .describe("The listeners, by id; `sallyport channel add` makes them"),
});

export type Settings = z.infer<typeof settingsSchema>;
