// What Slack sends, as far as it is read here. Nothing of it is to be relied on: every field may be missing (shape.ts sees to their kinds).

export interface Me {
  /** The workspace that the app is installed in. */
  readonly team: string;
  readonly enterprise?: string;
  /** The bot's user. */
  readonly user: string;
  readonly bot?: string;
}

export interface SlackFile {
  readonly id?: string;
  readonly name?: string | null;
  readonly title?: string;
  readonly mimetype?: string;
  readonly size?: number;
  readonly mode?: string;
  readonly is_external?: boolean;
  readonly url_private?: string;
  readonly url_private_download?: string;
  readonly shares?: Readonly<
    Record<string, Record<string, readonly { ts?: string; thread_ts?: string }[]>>
  >;
}

interface Attachment {
  readonly is_share?: boolean;
  readonly is_msg_unfurl?: boolean;
  readonly author_id?: string;
  readonly author_name?: string;
  readonly text?: string;
}

export interface SlackMessage {
  readonly type?: string;
  readonly subtype?: string;
  readonly hidden?: boolean;
  readonly user?: string;
  readonly bot_id?: string;
  readonly text?: string;
  readonly ts?: string;
  readonly thread_ts?: string;
  readonly parent_user_id?: string;
  readonly user_team?: string;
  readonly source_team?: string;
  readonly team?: string;
  readonly edited?: { readonly user?: string; readonly ts?: string };
  readonly files?: readonly SlackFile[];
  readonly attachments?: readonly Attachment[];
}

/** Inside of an `event_callback`. */
export interface SlackEvent extends SlackMessage {
  readonly channel?: string;
  readonly channel_type?: string;
  readonly event_ts?: string;
  readonly message?: SlackMessage;
  readonly previous_message?: SlackMessage;
  readonly inviter?: string;
  readonly actor_id?: string;
  readonly tab?: string;
  readonly old_channel_id?: string;
  readonly new_channel_id?: string;
}

/** A workspace, or an organisation. */
export interface Home {
  readonly team_id?: string;
  readonly enterprise_id?: string;
}

export interface EventBody {
  readonly type: "event_callback";
  readonly team_id?: string;
  readonly enterprise_id?: string;
  readonly context_team_id?: string;
  readonly context_enterprise_id?: string;
  /** One of the workspaces that the app hears this for. */
  readonly authorizations?: readonly Home[];
  readonly is_ext_shared_channel?: boolean;
  readonly event_id?: string;
  readonly event?: SlackEvent;
}

export interface ActionBody {
  readonly type: "block_actions";
  readonly user?: { readonly id?: string; readonly name?: string; readonly team_id?: string };
  readonly team?: { readonly id?: string; readonly enterprise_id?: string } | null;
  readonly enterprise?: { readonly id?: string } | null;
  readonly channel?: { readonly id?: string };
  readonly container?: {
    readonly type?: string;
    readonly message_ts?: string;
    readonly channel_id?: string;
    readonly thread_ts?: string;
    readonly is_ephemeral?: boolean;
  };
  readonly message?: { readonly ts?: string; readonly thread_ts?: string };
  readonly response_url?: string;
  readonly actions?: readonly {
    readonly type?: string;
    readonly value?: string;
    readonly action_ts?: string;
  }[];
}

export interface CommandBody {
  readonly command: string;
  readonly text?: string;
  readonly team_id?: string;
  readonly enterprise_id?: string;
  readonly user_id?: string;
  readonly user_name?: string;
  readonly channel_id?: string;
  readonly channel_name?: string;
  readonly trigger_id?: string;
  readonly response_url?: string;
}

export type Body = EventBody | ActionBody | CommandBody | { readonly type?: string };

export function isEvent(body: Body): body is EventBody {
  return "type" in body && body.type === "event_callback";
}

export function isAction(body: Body): body is ActionBody {
  return "type" in body && body.type === "block_actions";
}

export function isCommand(body: Body): body is CommandBody {
  return "command" in body && typeof body.command === "string";
}
