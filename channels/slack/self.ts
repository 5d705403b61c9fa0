// Who we are at Slack, as the token says; asked again to see whether it still counts.
import type { WebClient } from "@slack/web-api";
import type { Me } from "./wire.ts";

export interface Self {
  /** Asks Slack at the first time. */
  me(): Promise<Me>;
  known(): Me | undefined;
  /** Asks Slack now. */
  check(): Promise<Me>;
}

export function createSelf(client: WebClient): Self {
  let me: Me | undefined;
  const check = async (): Promise<Me> => {
    const { team_id: team, user_id: user, bot_id: bot, enterprise_id } = await client.auth.test();
    if (!team || !user) throw new Error("Slack did not say whose token this is.");
    me = {
      team,
      user,
      ...(bot ? { bot } : {}),
      ...(enterprise_id ? { enterprise: enterprise_id } : {}),
    };
    return me;
  };
  return { check, known: () => me, me: async () => me ?? (await check()) };
}
