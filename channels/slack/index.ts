// The channel `slack`: apps over Socket Mode, or over HTTP.
import type { Channel } from "../../src/core/channel.ts";
import { configSchema } from "./config.ts";
import { fileMost } from "./content.ts";
import { openListener } from "./listener.ts";
import { textMost, toParts } from "./outbound.ts";

export { configSchema } from "./config.ts";

export const channel: Channel = {
  name: "slack",
  limits: {
    text: textMost,
    caption: textMost,
    buttons: 25,
    file: fileMost,
    // The listener's pace says it where there is one.
    editPace: 0,
  },
  noReplies: true,
  // Slack keeps /help and the like for itself.
  writeCommand: (words) => `/sallyport ${words}`,
  render: (text) => toParts(text),
  open: (config, context) => openListener(configSchema.parse(config), context),
};
