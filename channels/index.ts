// The channels there are, loaded when one is opened.
import type { z } from "zod";
import type { Channel } from "../src/core/channel.ts";

export interface ChannelModule {
  readonly channel: Channel;
  readonly configSchema: z.ZodType;
}

export const channels: Readonly<Record<string, () => Promise<ChannelModule>>> = {
  telegram: () => import("./telegram/index.ts"),
  discord: () => import("./discord/index.ts"),
  slack: () => import("./slack/index.ts"),
  email: () => import("./email/index.ts"),
};
