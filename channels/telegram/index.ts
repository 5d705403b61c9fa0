// The channel `telegram`: bots over the Bot API, by long polling.
import type { Channel } from "../../src/core/channel.ts";
import { render } from "../shared/render.ts";
import { configSchema } from "./config.ts";
import { fileMost } from "./content.ts";
import { openListener } from "./listener.ts";
import { telegramDialect } from "./outbound.ts";
import { captionMost } from "./sending.ts";

export { configSchema } from "./config.ts";

export const channel: Channel = {
  name: "telegram",
  limits: {
    text: telegramDialect.limit,
    caption: captionMost,
    buttons: 30,
    file: fileMost,
    // The listener's pace says it where there is one.
    editPace: 0,
  },
  render: (text) => render(text, telegramDialect),
  open: (config, context) => openListener(configSchema.parse(config), context),
};
