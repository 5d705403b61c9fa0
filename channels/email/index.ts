// The channel `email`: mailboxes over IMAP and SMTP.
import type { Channel } from "../../src/core/channel.ts";
import { filesMost } from "./composing.ts";
import { configSchema } from "./config.ts";
import { openListener } from "./listener.ts";
import { render } from "./outbound.ts";

export { configSchema } from "./config.ts";

/** A mail has no limit that a text would meet: longer ones than the gateway makes there are none. */
const textMost = 1_000_000;

export const channel: Channel = {
  name: "email",
  limits: { text: textMost, caption: textMost, buttons: 0, file: filesMost, editPace: 0 },
  oneMessage: true,
  decidesByWord: true,
  patience: 24 * 60 * 60 * 1000,
  answersPerHour: 10,
  render,
  open: (config, context) => openListener(configSchema.parse(config), context),
};
