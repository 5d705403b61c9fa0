// What somebody should know who lets people in by their mail.
import type { Settings } from "../config/settings.ts";
import { openDomainIn } from "../core/mail-list.ts";

export function mailWarnings({
  access,
  channels,
}: Pick<Settings, "access" | "channels">): string[] {
  const { allowEmail } = access;
  const open = allowEmail.flatMap((entry) => openDomainIn(entry) ?? []);
  const hasMailbox = Object.values(channels).some(({ kind }) => kind === "email");
  return [
    ...(open.length > 0
      ? [
          `! access.allowEmail: anyone can get an address at ${[...new Set(open)].join(", ")}, so everybody is let in as authenticated. Name the people instead, as ana@${open[0]}`,
        ]
      : []),
    ...(allowEmail.length > 0 && !hasMailbox
      ? [
          "access.allowEmail lets nobody in, since there is no mailbox. Add one with: sallyport channel add email",
        ]
      : []),
    ...(access.public === "anyone" && hasMailbox
      ? ["! access.public: anyone who can send mail may talk to the agent, within the budgets"]
      : []),
  ];
}
