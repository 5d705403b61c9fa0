// What happens to a conversation, or to us in it.
import type { ChatChange } from "../../src/core/events.ts";
import { accountOf, msOf } from "./ids.ts";
import type { Me, SlackEvent } from "./wire.ts";

/** Null for what changes nothing for us: others come and go. */
export function chatChange(event: SlackEvent, me: Me): ChatChange | null {
  const { type, user, channel, inviter, actor_id } = event;
  if (type === "channel_id_changed") return moved(event, me);
  if (!channel) return null;
  if (type === "member_joined_channel" && user === me.user)
    return change(event, me, { change: "added", by: inviter });
  if (type === "member_left_channel" && user === me.user)
    return change(event, me, { change: "removed", by: actor_id });
  if (type === "channel_left" || type === "group_left")
    return change(event, me, { change: "removed", by: actor_id });
  return null;
}

function change(
  { channel = "", event_ts, team }: SlackEvent,
  me: Me,
  it: { readonly change: "added" | "removed"; readonly by: string | undefined },
): ChatChange {
  const user = it.by ?? me.user;
  return {
    kind: "chat",
    key: `${me.team}:chat:${channel}:${event_ts ?? ""}:${it.change}`,
    at: msOf(event_ts),
    chat: { id: channel, kind: "group" },
    sender: { account: accountOf({ user, team }, me), name: user },
    change: it.change,
  };
}

/** A channel that was made private, or is shared from now on, may get a new id. */
function moved({ old_channel_id: from, new_channel_id: to, event_ts }: SlackEvent, me: Me) {
  if (!from || !to) return null;
  const event: ChatChange = {
    kind: "chat",
    key: `${me.team}:chat:${from}:moved:${to}`,
    at: msOf(event_ts),
    chat: { id: from, kind: "group" },
    sender: { account: accountOf({ user: me.user, team: me.team }, me), name: "" },
    change: "migrated",
    to,
  };
  return event;
}
