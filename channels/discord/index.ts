// The channel `discord`: bots over Discord's gateway and its REST API.
import type { Channel } from "../../src/core/channel.ts";
import { render } from "../shared/render.ts";
import { configSchema } from "./config.ts";
import { fileMost } from "./content.ts";
import { openListener } from "./listener.ts";
import { discordDialect, mostButtons } from "./outbound.ts";

export { configSchema } from "./config.ts";

export const channel: Channel = {
  name: "discord",
  limits: {
    text: discordDialect.limit,
    caption: discordDialect.limit,
    buttons: mostButtons,
    file: fileMost,
    // The listener's pace says it where there is one.
    editPace: 0,
  },
  render: (text) => render(text, discordDialect),
  open: (config, context) => openListener(configSchema.parse(config), context),
};
